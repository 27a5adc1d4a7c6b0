/** A dead letter with all that it holds. Only for the answer to an audited act. */
import { toPrintableLines } from "../../../job/message/show-masked-values.ts";
import { toSafeJson } from "../../../job/message/write-safe-json.ts";
import type { ReadMessage } from "../../operations/records/read-message.ts";
import type { Html } from "../screen.ts";
import { layOutJson } from "../../read/lay-out-json.ts";
import { messagePath } from "./links.tsx";
import { Rebuild } from "./rebuild.tsx";
import { number } from "../../operations/phrases.ts";
import { Foreign } from "./text.tsx";

const ofAnswer = "response";
/** Of one value. A browser is slow with a line of megabytes. */
const maxCharacters = 65_536;

/** The answer to the form itself: it has no address, so nothing can ask for it again, and no cache keeps it. */
export interface ShownOnce {
  readonly title: string;
  readonly content: Html;
}

export function toShown(results: readonly object[]): ShownOnce {
  const [message] = results as readonly [ReadMessage];
  return { title: `Content of ${message.dlqId}`, content: <MessageContent message={message} /> };
}

function MessageContent({ message }: { readonly message: ReadMessage }): Html {
  const { source, dlqId, record, explanation } = message;
  const becomes = explanation?.becomes ?? null;
  const item = becomes?.kind === "item" && "item" in becomes ? becomes.item : null;
  return (
    <>
      <p>
        The audit has that you have seen it, and why.{" "}
        <a href={messagePath(source, dlqId)}>Back to the dead letter, masked</a>
      </p>
      {typeof record === "string" ? (
        <p class="empty">
          <Foreign text={record} />
        </p>
      ) : (
        <div class="sides">
          <div>
            <h2>The record</h2>
            <Values values={record} />
          </div>
          <div>
            <h2>The item that would be published</h2>
            {item === null ? <p class="empty">None.</p> : <Values values={{ ...item }} />}
          </div>
        </div>
      )}
      {explanation === null ? null : <Rebuild explanation={explanation} />}
    </>
  );
}

function Values({ values }: { readonly values: Readonly<Record<string, unknown>> }): Html {
  return (
    <dl class="content">
      {Object.entries(values)
        .filter(([, value]) => value !== "" && value !== undefined)
        // What the receiver said comes first: that is why it is looked at.
        .toSorted(([one], [other]) => Number(other.startsWith(ofAnswer)) - Number(one.startsWith(ofAnswer)))
        .map(([name, value]) => {
          const written =
            typeof value === "string" ? value : toSafeJson({ value }).slice('{"value":'.length, -1);
          // Laid out it may be longer by the depth of each line.
          const text = written.length > maxCharacters ? written : layOutJson(written);
          return (
            <>
              <dt>
                <Foreign text={name} />
              </dt>
              <dd>
                <pre tabindex={0} dir="auto">
                  {toPrintableLines(text, maxCharacters)}
                </pre>
                {text.length > maxCharacters ? (
                  <p class="hint">
                    The first {number(maxCharacters)} of {number(text.length)} characters.
                  </p>
                ) : null}
              </dd>
            </>
          );
        })}
    </dl>
  );
}
