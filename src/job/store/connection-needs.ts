import type { RedisConnection } from "../redis/connect.ts";

/** What a store of scripts alone needs of its connection. */
export type ScriptRedis = Pick<RedisConnection, "run" | "keyPrefix">;
/** What a store needs that also sends commands. */
export type StoreRedis = Pick<RedisConnection, "run" | "command" | "keyPrefix">;
