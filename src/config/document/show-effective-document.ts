/** As it was written, with what holds besides; without tests. A secret is "[set]", which does not load. */
import { stringify } from "yaml";
import { isObject } from "../../job/message/json-value.ts";
import { maskQuery } from "../../job/rules/show-field-test.ts";
import { textFields } from "../../job/rules/rule-spec.ts";
import { parseYaml } from "../text/yaml-tree.ts";
import { asMap } from "./checks/raw-document.ts";
import { each, mapped, toDocumentInEffect } from "./in-effect.ts";

export function showEffectiveDocument(text: string, hash: string): string {
  const document = toEffectiveDocument(text);
  return `# hash ${hash}\n${stringify(document, { aliasDuplicateObjects: false })}`;
}

export function toEffectiveDocument(text: string): object {
  const reading = parseYaml(text, "");
  const document = toDocumentInEffect(reading.ok ? reading.tree.value : {});
  return asMap(hide(document, masks));
}

/** What stands in place of a value, or what does in place of the values below it. */
type Mask = ((value: unknown) => unknown) | { readonly [key: string]: Mask };

function hide(value: unknown, mask: Mask): unknown {
  if (typeof mask === "function") return mask(value);
  if (Array.isArray(value)) return value.map((one) => hide(one, mask));
  if (!isObject(value)) return value;
  return mapped(value, (one, key) => {
    const inner = Object.hasOwn(mask, key) ? mask[key] : mask[each];
    return inner === undefined ? one : hide(one, inner);
  });
}

const hidden = "[set]";

const plainForms: ReadonlySet<string> = new Set(["equals", "prefix", "in"]);

/** Of a test that looks for the end of an address, or anywhere in it, nobody knows what is of the query. */
function hideAddress(pattern: unknown): unknown {
  if (Array.isArray(pattern)) return pattern.map(hideAddress);
  if (typeof pattern === "string") return maskQuery(pattern);
  return mapped(pattern, (value, form) =>
    form === "exists" ? value : plainForms.has(form) ? hideAddress(value) : hidden,
  );
}

function hideValue(value: unknown): unknown {
  if (value === null) return null;
  return isObject(value) ? mapped(value, hideValue) : hidden;
}

function hidePattern(pattern: unknown): unknown {
  if (Array.isArray(pattern)) return pattern.map((one) => hidePattern(one));
  return pattern === "none" || (isObject(pattern) && Object.hasOwn(pattern, "exists")) ? pattern : hidden;
}

function hideUrl(url: unknown): unknown {
  return typeof url === "string" ? maskQuery(url.replace(/^(https?:\/\/)[^/?#@]*@/i, `$1${hidden}@`)) : url;
}

/** The path of a webhook is often its secret. */
function hideWebhook(url: unknown): unknown {
  if (typeof url !== "string") return url;
  const { origin, pathname, search } = new URL(url);
  return pathname === "/" && search === "" ? origin : `${origin}/${hidden}`;
}

const addresses = Object.entries(textFields).flatMap(([name, kind]) => (kind === "address" ? [name] : []));
const headers = { [each]: hidePattern };
const when: Record<string, Mask> = {
  ...Object.fromEntries(addresses.map((name) => [name, hideAddress])),
  header: headers,
  responseHeader: headers,
};
Object.assign(when, { all: when, any: when, not: when });

const masks: Mask = {
  drains: {
    [each]: {
      tests: () => undefined,
      select: { url: hideAddress, not: { url: hideAddress } },
      rules: {
        when,
        set: {
          headers: hideValue,
          body: { merge: hideValue, patch: { value: hideValue } },
          destination: hideUrl,
          callback: hideUrl,
          failureCallback: hideUrl,
        },
      },
    },
  },
  notify: { [each]: { url: hideWebhook } },
};
