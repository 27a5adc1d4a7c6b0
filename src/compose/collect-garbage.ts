import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | null = null;

/**
 * Has V8 collect what nobody uses any more: some 30 ms. Left to itself it waits until the heap has grown by a
 * third, and buffers hardly count for it, so that what is left of one large page would stand beside the next.
 */
export function collectGarbage(): void {
  if (collect === null) {
    // The flag only adds the function to contexts that are made from now on.
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}
