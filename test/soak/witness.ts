import { createReceiver } from "../support/receiver.ts";
import { rootHeader } from "./letters.ts";

/** The receiver. It remembers which message it took, and which dead letter that message goes back to. */
export async function startWitness() {
  const firstOf = new Map<string, string>();
  const witness = {
    /** Answers this to everybody, until it is null again. */
    down: null as number | null,
    /** Messages answered with 200, by id, and the root that they carried. */
    taken: new Map<string, string>(),
  };
  const { url, close, ...receiver } = await createReceiver(({ path, headers }) => {
    const root = String(headers[rootHeader.toLowerCase()]);
    const messageId = String(headers["upstash-message-id"]);
    if (!firstOf.has(root)) firstOf.set(root, messageId);
    // All attempts of a root's first message fail there, so that it comes back as a dead letter.
    const isFailing = path === "/flaky" && firstOf.get(root) === messageId;
    const status = witness.down ?? (isFailing ? 503 : 200);
    if (status === 200) witness.taken.set(messageId, root);
    // Bodies of hours need more memory than there is.
    receiver.deliveries.length = 0;
    return { status, body: "an answer" };
  });
  return Object.assign(witness, { url, close });
}
