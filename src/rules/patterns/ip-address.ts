import { isIPv4, isIPv6 } from "node:net";

/**
 * An address of one family as a number of 32 or 128 bits. IPv4 written as IPv6 (`::ffff:10.0.0.1`) is IPv4.
 */
export interface IpAddress {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

const mappedPrefix = 0xffffn;

/** Null for a text that is no address. A zone (`%eth0`) says nothing about the publisher and is ignored. */
export function parseIpAddress(text: string): IpAddress | null {
  const bare = text.trim().replace(/%.*$/, "");
  if (isIPv4(bare)) return { bits: 32, value: toIpv4(bare) };
  if (!isIPv6(bare)) return null;
  const value = toIpv6(bare);
  return value >> 32n === mappedPrefix ? { bits: 32, value: value & 0xffff_ffffn } : { bits: 128, value };
}

/** Whether the first `bits` bits of two addresses of one family are the same. */
export function isInNetwork(address: IpAddress, network: IpAddress, bits: number): boolean {
  if (address.bits !== network.bits) return false;
  const rest = BigInt(address.bits - bits);
  return address.value >> rest === network.value >> rest;
}

function toIpv4(text: string): bigint {
  return text.split(".").reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

/** The four numbers of an IPv4 address. */
export function toIpv4Text(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join(".");
}

function toIpv6(text: string): bigint {
  const dotted = /\d+\.\d+\.\d+\.\d+$/.exec(text)?.[0];
  const hex = dotted === undefined ? text : text.slice(0, -dotted.length) + toHexGroups(toIpv4(dotted));
  const [head = "", tail] = hex.split("::");
  const left = toGroups(head);
  const right = toGroups(tail ?? "");
  const groups = [...left, ...Array<bigint>(8 - left.length - right.length).fill(0n), ...right];
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}

function toGroups(text: string): bigint[] {
  return text === "" ? [] : text.split(":").map((group) => BigInt(`0x${group}`));
}

function toHexGroups(value: bigint): string {
  return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
}
