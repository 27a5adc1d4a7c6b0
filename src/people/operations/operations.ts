import { loadOperations } from "./load-operations.ts";

/** All of them, for a face that shows all: a command loads its own alone. */
export const operations = await loadOperations();
