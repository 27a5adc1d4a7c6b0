import { styleText } from "node:util";

/** Colours of the overview. */
export interface Paint {
  /** `shown`: the verdict as it is wrapped. */
  readonly verdict: (verdict: string, shown: string) => string;
}

type Colour = "green" | "yellow" | "red";

/** Plain text unless `isColoured`. Colour repeats what the words say: nothing is in the colour alone. */
export function createPaint(isColoured: boolean): Paint {
  return {
    verdict: (verdict, shown) =>
      isColoured ? styleText(["bold", colourOf(verdict)], shown, { validateStream: false }) : shown,
  };
}

function colourOf(verdict: string): Colour {
  if (/^not running|halted|expire soon|waits for deletes|drains document|cannot write/.test(verdict))
    return "red";
  return verdict.startsWith("all clear") && !verdict.includes(";") ? "green" : "yellow";
}
