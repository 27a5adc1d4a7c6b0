import { z } from "zod";
import { Refusal } from "../refusal.ts";
import type { Endpoint } from "./directory.ts";

const endpoint = z.object({ name: z.string().min(1).optional(), url: z.string() });
const endpoints = z.object({ endpoints: z.array(endpoint) });
const queue = z.object({ queueName: z.string(), parallelism: z.number().int().min(1).default(1) });

export function parseEndpoints(payload: unknown): Endpoint[] {
  return accept(endpoints, payload).endpoints;
}

export function parseQueue(payload: unknown): { readonly name: string; readonly parallelism: number } {
  const { queueName, parallelism } = accept(queue, payload);
  return { name: queueName, parallelism };
}

/** The payload as the schema understands it; otherwise 400 with everything that is wrong. */
export function accept<T>(schema: z.ZodType<T>, payload: unknown): T {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`);
  throw new Refusal(400, problems.join("; "));
}
