import { z } from "zod";
import { EmulatorRefusal } from "../refusal.ts";
import type { Endpoint } from "../publish/directory.ts";

const endpoint = z.object({ name: z.string().min(1).optional(), url: z.string() });
const endpoints = z.object({ endpoints: z.array(endpoint) });
const endpointKey = z.union([endpoint, z.object({ name: z.string().min(1), url: z.string().optional() })]);
const endpointKeys = z.object({ endpoints: z.array(endpointKey) });
const queue = z.object({
  queueName: z.string(),
  parallelism: z.number().int().min(1).optional(),
  paused: z.boolean().optional(),
});

export function parseEndpoints(payload: unknown): Endpoint[] {
  return accept(endpoints, payload).endpoints;
}

/** Endpoints to be removed are told by name or by URL; both together tell one that has both. */
export function parseEndpointKeys(payload: unknown): (endpoint: Endpoint) => boolean {
  const keys = accept(endpointKeys, payload).endpoints;
  return ({ name, url }) =>
    keys.some(
      (key) => (key.name === undefined || key.name === name) && (key.url === undefined || key.url === url),
    );
}

export interface QueueChange {
  readonly queueName: string;
  readonly parallelism?: number | undefined;
  readonly paused?: boolean | undefined;
}

export function parseQueue(payload: unknown): QueueChange {
  return accept(queue, payload);
}

/** The payload as the schema understands it; otherwise 400 with everything that is wrong. */
export function accept<T>(schema: z.ZodType<T>, payload: unknown): T {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`);
  throw new EmulatorRefusal(400, problems.join("; "));
}
