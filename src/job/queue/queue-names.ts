/** They are defined beside all other names of keys: the rights to these keys are asked about there too. */
export { queueKinds, toQueueName, toQueuePrefix, type QueueKind } from "../redis/key-prefix.ts";
