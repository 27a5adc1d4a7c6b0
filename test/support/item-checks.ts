import type { CheckItem, ItemPolicy } from "../../src/job/message/item-policy.ts";

/** For tests that are about something else. */
export const anyItem: CheckItem = () => null;

/** The built-in settings. */
export const builtInPolicy: ItemPolicy = {
  allowHosts: [],
  allowSchemes: ["https", "http"],
  allowPrivate: "auto",
  maxMessageBytes: 25_165_824,
  maxHeaders: 1_000,
  maxHeaderBytes: 262_144,
};
