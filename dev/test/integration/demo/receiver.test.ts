import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startReceiver, toDigest, toKey, type Receiver } from "../../../demo/receiver.ts";

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const body = JSON.stringify({ id: "m-1", note: "Grüße" });

function send(
  url: string,
  changes: { readonly body?: string; readonly headers?: Record<string, string> } = {},
) {
  const headers = {
    "X-Demo-Id": "m-1",
    "X-Demo-Digest": toDigest("POST", body),
    "X-Demo-Method": "POST",
    "X-Redriven": "true",
    ...changes.headers,
  };
  return fetch(url, { method: "POST", headers, body: changes.body ?? body });
}

describe("the receiver of the demo", () => {
  it("is first a closed port, then answers 503, then has recovered", async () => {
    const url = `${receiver.flakyUrl}/orders`;
    await expect(send(url)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
    await receiver.open();
    expect((await send(url)).status).toBe(503);
    expect(receiver.witness.deliveries.size).toBe(0);
    receiver.recover("flaky");
    expect((await send(url)).status).toBe(200);
    expect(receiver.witness.deliveries).toEqual(new Map([[toKey("/orders", "m-1"), 1]]));
  });

  it("counts every delivery by path and by the id inside the body", async () => {
    await receiver.open();
    receiver.recover("flaky");
    await send(`${receiver.flakyUrl}/orders`);
    await send(`${receiver.flakyUrl}/orders`);
    await send(`${receiver.steadyUrl}/audit`);
    expect(receiver.witness.deliveries).toEqual(
      new Map([
        ["/orders m-1", 2],
        ["/audit m-1", 1],
      ]),
    );
    expect(receiver.witness).toMatchObject({ altered: [], unmarked: [] });
  });

  it("notices another body, another method and a missing mark", async () => {
    await receiver.open();
    receiver.recover("flaky");
    await send(`${receiver.flakyUrl}/body`, { body: JSON.stringify({ id: "m-1", note: "GrÃ¼ÃŸe" }) });
    await send(`${receiver.flakyUrl}/method`, { headers: { "X-Demo-Method": "PUT" } });
    await send(`${receiver.flakyUrl}/id`, { headers: { "X-Demo-Id": "m-2" } });
    await send(`${receiver.flakyUrl}/mark`, { headers: { "X-Redriven": "" } });
    expect(receiver.witness).toMatchObject({
      altered: ["/body m-1", "/method m-1", "/id m-1"],
      unmarked: ["/mark m-1"],
    });
  });

  it("refuses for ever, also after it has recovered", async () => {
    receiver.recover("flaky");
    expect((await send(`${receiver.steadyUrl}/refused`)).status).toBe(422);
    const never = await send(`${receiver.steadyUrl}/never`);
    expect([never.status, never.headers.get("upstash-nonretryable-error")]).toEqual([489, "true"]);
    expect(receiver.witness.deliveries.size).toBe(0);
  });

  it("counts callbacks about a success, and those about a final failure, by the id inside the message", async () => {
    const tell = (path: string, status: number) =>
      send(`${receiver.steadyUrl}${path}`, {
        body: JSON.stringify({ status, sourceBody: Buffer.from(body).toString("base64") }),
      });
    await tell("/callback", 503);
    await tell("/callback", 200);
    await tell("/failure-callback", 503);
    expect(receiver.witness).toMatchObject({
      deliveries: new Map(),
      successCallbacks: new Map([["m-1", 1]]),
      failureCallbacks: new Map([["m-1", 1]]),
    });
  });
});
