import * as fc from "fast-check";
import { anyText } from "./fuzzing.ts";

const enteredAt = Date.now() - 60 * 60_000;
let sequence = 0;
export const nextId = (): string => `${enteredAt}-${(sequence += 1)}`;

export const plainRecord = (dlqId: string): Record<string, unknown> => ({
  dlqId,
  messageId: `msg_${dlqId}`,
  url: "http://127.0.0.1:9/hook",
  method: "POST",
  header: { "Content-Type": ["application/json"] },
  body: '{"schema":2}',
  createdAt: enteredAt - 5_000,
  responseStatus: 503,
});

/** JSON text of a field's value, so that it can be what no serialiser writes. */
const oddValue: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)) },
  { weight: 3, arbitrary: anyText(20).map((text) => JSON.stringify(text)) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      '"\\ud800"',
      '"\\u0000"',
      '"\\r\\nX-Injected: yes"',
      "1e400",
      "-1",
      "0.5",
      "99999999999999999999",
      "9007199254740993",
      "true",
      '{"__proto__":{"polluted":true}}',
      '{"__proto__":["x"],"constructor":["y"],"toString":"z"}',
      '{"X-Odd":["a","b"],"x-odd":"c"}',
      '{"Cookie":["a=1","b=2"]}',
      '{"":["x"]}',
      '{"X Y":["x"],"ü":["y"]}',
      '{"Content-Length":["7"]}',
      '{"X-Redriver":["v1.AAAA.BBBB"]}',
      `"${"x".repeat(1_000_000)}"`,
      `${"[".repeat(5_000)}${"]".repeat(5_000)}`,
      `${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`,
      '"http://[::1"',
      '"http://u:p@127.0.0.1/"',
      '"javascript:alert(1)"',
      '"http://127.0.0.1:99999/"',
      '"HTTPS://LOCALHOST"',
      '"//127.0.0.1"',
      '"aGVsbG8="',
    ),
  },
);

const fieldNames = (
  "dlqId messageId url createdAt method header body bodyBase64 maxRetries notBefore callback callbackHeader failureCallback " +
  "failureCallbackHeader queueName label labels flowControlKey rate period parallelism topicName endpointName scheduleId callerIP " +
  "retryDelayExpression responseStatus responseHeader responseBody responseBodyBase64 workflowRunId state topicId __proto__ " +
  "constructor hasOwnProperty toJSON length"
).split(" ");

/** A plain record with some fields of the worst kind, or without them. */
export const oddRecord = fc
  .array(fc.tuple(fc.constantFrom(...fieldNames), fc.option(oddValue)), { minLength: 1, maxLength: 4 })
  .map((changes) => {
    const dlqId = nextId();
    const fields = new Map(
      Object.entries(plainRecord(dlqId)).map(([name, value]) => [name, JSON.stringify(value)]),
    );
    for (const [name, value] of changes) {
      if (value === null) fields.delete(name);
      else fields.set(name, value);
    }
    return {
      dlqId,
      text: `{${[...fields].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`,
    };
  });
