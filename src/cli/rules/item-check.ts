import type { Settings } from "../../config/settings/settings.ts";
import { createItemCheck, type CheckItem } from "../../message/item-check.ts";
import type { SourceConfig } from "../../ports/drains.ts";
import { proofAddressOf } from "../../redrive/callbacks/canary-callbacks.ts";

/** What these settings let be published by a source; as its runtime has it, without building one. */
export function itemCheckOf(source: SourceConfig, { publish, service }: Settings): CheckItem {
  return createItemCheck(publish, service.headerPrefix, source.url ?? service.url, proofAddressOf(source));
}
