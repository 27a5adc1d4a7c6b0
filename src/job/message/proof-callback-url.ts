/**
 * A canary's callback goes to redriver, which so learns its outcome at once (docs/lanes.md). The address has
 * the callback that ours replaced:
 *
 *   <address>?redriver-callback=none          the message had none
 *   <address>?redriver-callback=v1.<sealed>   sealed = base64url of nonce (12 bytes), AES-256-GCM text
 *                                             of JSON { u URL, h headers }, tag (16)
 *
 * It is in the address because every listing shows that. Whether a callback's headers are listed is not documented. It
 * is sealed because addresses end up in logs on the way, and a callback's headers may contain credentials. Reading it
 * back depends on no configuration, so a record is still recognised after callbacks were switched off.
 */
import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import type { BatchItem, HeaderValues, RawRecord } from "./dead-letter.ts";
import type { LineageKey } from "./lineage.ts";

const parameter = "redriver-callback";
const ours = /\?redriver-callback=(none|v\d+\.[A-Za-z0-9_-]+)$/;
const seal = "v1.";
const cipher = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** Longer addresses are not accepted everywhere. A message with a longer one is judged by silence. */
const maxAddressLength = 2_000;

export interface OwnCallback {
  readonly url: string;
  readonly header: HeaderValues;
}

/** `own`: the original callback, null if there was none. `sealed`: under a key or version not known here. */
export type ProofReading =
  | { readonly kind: "foreign" }
  | { readonly kind: "own"; readonly own: OwnCallback | null }
  | { readonly kind: "sealed" };

/** `address` has no query. Null if it gets too long. Two POSTs of a series get the same address. */
export function withProofCallback(
  item: BatchItem,
  headerPrefix: string,
  address: string,
  key: LineageKey,
): BatchItem | null {
  const setting = `${headerPrefix}Callback`;
  const forward = `${setting}-Forward-`;
  const isOwn = ([name]: readonly [string, string]): boolean => name === setting || name.startsWith(forward);
  const entries = Object.entries(item.headers);
  const url = item.headers[setting];
  const header = Object.fromEntries(
    entries
      .filter(([name]) => name.startsWith(forward))
      .map(([name, value]) => [name.slice(forward.length), value]),
  );
  const written = url === undefined ? "none" : seal + sealed(JSON.stringify({ u: url, h: header }), key);
  const callback = `${address}?${parameter}=${written}`;
  if (callback.length > maxAddressLength) return null;
  const others = entries.filter((entry) => !isOwn(entry));
  return { ...item, headers: Object.fromEntries([...others, [setting, callback]]) };
}

export function isProofUrl(url: string, address: string): boolean {
  return url.startsWith(address) && url.slice(address.length).search(ours) === 0;
}

/** Never throws. */
export function readProofCallback(url: string, keys: readonly LineageKey[]): ProofReading {
  const written = ours.exec(url)?.[1];
  if (written === undefined) return { kind: "foreign" };
  if (written === "none") return { kind: "own", own: null };
  if (!written.startsWith(seal)) return { kind: "sealed" };
  for (const key of keys) {
    const own = key === "" ? null : opened(written.slice(seal.length), key);
    if (own !== null) return { kind: "own", own };
  }
  return { kind: "sealed" };
}

/** With the original callback, if it was redriven with ours. One that no key opens stays. */
export function withOwnCallback(raw: RawRecord, keys: readonly LineageKey[]): RawRecord {
  const url = raw["callback"];
  const reading = typeof url === "string" ? readProofCallback(url, keys) : null;
  if (reading?.kind !== "own") return raw;
  const { callback: _callback, callbackHeader: _callbackHeader, ...rest } = raw;
  if (reading.own === null) return rest;
  return { ...rest, callback: reading.own.url, callbackHeader: reading.own.header };
}

/** The nonce is made from the text, so that no two texts share one under a key. */
function sealed(text: string, key: LineageKey): string {
  const { encrypting, naming } = toKeys(key);
  const nonce = createHmac("sha256", naming).update(text).digest().subarray(0, nonceBytes);
  const encryption = createCipheriv(cipher, encrypting, nonce);
  const encrypted = Buffer.concat([encryption.update(text, "utf8"), encryption.final()]);
  return Buffer.concat([nonce, encrypted, encryption.getAuthTag()]).toString("base64url");
}

function opened(text: string, key: LineageKey): OwnCallback | null {
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length < nonceBytes + tagBytes) return null;
  try {
    const decryption = createDecipheriv(cipher, toKeys(key).encrypting, bytes.subarray(0, nonceBytes));
    decryption.setAuthTag(bytes.subarray(-tagBytes));
    const encrypted = bytes.subarray(nonceBytes, -tagBytes);
    const json = Buffer.concat([decryption.update(encrypted), decryption.final()]).toString();
    const { u: url, h: header } = JSON.parse(json) as { u: string; h: Readonly<Record<string, string>> };
    const values = Object.entries(header).map(([name, value]) => [name, [value]] as const);
    return { url, header: Object.fromEntries(values) };
  } catch {
    // Another key's, or changed on the way.
    return null;
  }
}

function toKeys(key: LineageKey): { readonly encrypting: Buffer; readonly naming: Buffer } {
  const derive = (use: string): Buffer =>
    createHmac("sha256", key).update(`redriver callback v1 ${use}`).digest();
  return { encrypting: derive("text"), naming: derive("nonce") };
}

/** The callback address for canaries; undefined without configured callbacks. A source id needs no escape. */
export function proofAddressOf(source: {
  readonly id: string;
  readonly callbacks?: { readonly url: string };
}): string | undefined {
  const { id, callbacks } = source;
  return callbacks === undefined ? undefined : `${callbacks.url}/${id}`;
}
