import type { RedisConnection } from "../redis/connect.ts";

export type ScriptRedis = Pick<RedisConnection, "run" | "keyPrefix">;
export type StoreRedis = Pick<RedisConnection, "run" | "command" | "keyPrefix">;
