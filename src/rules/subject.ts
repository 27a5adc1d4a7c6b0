import { valuesOf } from "../message/header-values.ts";
import type { RecordFacts } from "./facts.ts";
import type { DurationField, NumberField, TextField } from "./spec.ts";

/** What conditions ask of one record. The URL is taken apart once, when a condition first asks for a part of it. */
export interface Subject {
  /** The values of a text field, of which any may match; none when it is absent. */
  texts(field: TextField): readonly string[];
  header(name: string): readonly string[];
  /** Undefined when absent. */
  number(field: NumberField): number | undefined;
  /** In ms; below 0 when the record is from the future by this clock. */
  durationMs(field: DurationField): number;
}

export function toSubject(facts: RecordFacts): Subject {
  const { letter, now } = facts;
  let address: { readonly hosts: readonly string[]; readonly path: readonly string[] } | undefined;
  const parts = () => (address ??= toAddress(letter.url));
  return {
    texts(field) {
      switch (field) {
        case "url":
          return [letter.url];
        case "host":
          return parts().hosts;
        case "path":
          return parts().path;
        case "topicName":
          return present(letter.topicName);
        case "queueName":
          return present(letter.queueName);
        case "label":
          return letter.labels;
        case "method":
          return [letter.method.toUpperCase()];
      }
    },
    header: (name) => valuesOf(letter.header, name),
    number(field) {
      switch (field) {
        case "responseStatus":
          return letter.responseStatus;
        case "attempt":
          return facts.attempt;
      }
    },
    durationMs(field) {
      switch (field) {
        case "age":
          return now - letter.enteredAt;
        case "messageAge":
          return now - facts.rootCreatedAt;
      }
    },
  };
}

/** A host is asked for with or without its port; a default port is not written. */
function toAddress(url: string): { hosts: readonly string[]; path: readonly string[] } {
  if (!URL.canParse(url)) return { hosts: [], path: [] };
  const { hostname, host, pathname } = new URL(url);
  if (hostname === "") return { hosts: [], path: [pathname] };
  return { hosts: hostname === host ? [host] : [hostname, host], path: [pathname] };
}

function present(text: string | undefined): readonly string[] {
  return text === undefined ? [] : [text];
}
