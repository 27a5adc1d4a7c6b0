import { z } from "zod";
import { RedriverError } from "../../../job/contracts/errors.ts";
import { defineOperation } from "../define.ts";
import { letterId, sourceId } from "../fields.ts";
import { readContent, type ReadMessage } from "../records/read-message.ts";

const open = z.looseObject({});
const row: z.ZodType<ReadMessage> = z.custom<ReadMessage>().and(
  z.looseObject({
    dlqId: z.string(),
    source: z.string(),
    enteredAt: z.number().describe("Unix ms."),
    expiresAt: z.number().describe("Unix ms."),
    ledger: open,
    record: z.union([open, z.string()]).describe("As the service lists it; a text: why it was not found."),
    explanation: open.nullable().describe("What the rules do with it, and the item that they would publish."),
  }),
);

/** The audit has who asks and why before anything is read. */
export const content = defineOperation({
  words: "content",
  path: "/content",
  title: "Show content",
  role: "admin",
  reasonOf: "showing content",
  about: "show one dead letter with its body and header values; the audit has who saw it, and why",
  needs: "rules",
  example: { dlqId: "1700000000000-0", reason: "a customer asks" },
  input: z.strictObject({ dlqId: letterId, source: sourceId }),
  row,
  isReading: true,
  async *run({ core, input: { dlqId, source }, by, reason, signal }) {
    const [only, ...others] = source === undefined ? core.sources.keys() : [source];
    if (only === undefined || others.length > 0) {
      throw new RedriverError("command-misused", `give a source: ${[...core.sources.keys()].join(", ")}`);
    }
    const message = await readContent(core, { source: only, dlqId, by, reason }, signal);
    yield { said: `content of ${dlqId}`, row: message };
  },
});
