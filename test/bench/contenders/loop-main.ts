/** What a person on call writes: the client's own loop. `node loop-main.js <url of the service>` */
import { Client, type PublishRequest } from "@upstash/qstash";

const client = new Client({ baseUrl: process.argv[2]!, token: "bench", retry: false });
let cursor: string | undefined;
do {
  const page = await client.dlq.listMessages({ count: 100, ...(cursor === undefined ? {} : { cursor }) });
  if (page.messages.length > 0) {
    await client.batch(
      page.messages.map(({ dlqId, url, method, header, body, maxRetries }) => ({
        url,
        method: method as NonNullable<PublishRequest["method"]>,
        headers: Object.fromEntries(
          Object.entries(header ?? {}).map(([name, values]) => [name, values.join(", ")]),
        ),
        body: body!,
        retries: maxRetries!,
        deduplicationId: `again-${dlqId}`,
      })),
    );
    await client.dlq.delete(page.messages.map(({ dlqId }) => dlqId));
  }
  cursor = page.cursor;
} while (cursor);
