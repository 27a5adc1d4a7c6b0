import { showContent } from "../../operations/records/read-message.ts";
import { MessageContent } from "../parts/message-content.tsx";
import type { Act } from "./act.ts";
import { toCommandLine } from "./command-line.ts";

/** The content of one dead letter, as the answer to the form: it is in no address, and no cache keeps it. */
export const showContentAct: Act = {
  name: "show-content",
  title: "Show content",
  area: "parked",
  role: "admin",
  asksReason: true,
  fields: [
    { name: "source", label: "Source", kind: "hidden" },
    { name: "dlqId", label: "Dead letter", kind: "hidden" },
  ],
  command: ({ dlqId }) => toCommandLine("rules", "explain", dlqId, "--show-content"),
  async run({ source = "", dlqId = "", reason = "" }, { core, by, signal }) {
    const message = await showContent(core, { source, dlqId, by, reason }, signal);
    return { title: `Content of ${message.dlqId}`, content: <MessageContent message={message} /> };
  },
};
