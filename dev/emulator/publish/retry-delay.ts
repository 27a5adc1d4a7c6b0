/**
 * The retry delay expression: milliseconds as arithmetic over `retried`, for example
 * `1000 * (1 + retried)` or `pow(2, retried) * 500`.
 */
export interface RetryDelay {
  readonly expression: string;
  readonly ms: (retried: number) => number;
}

type Node = (retried: number) => number;

/** What binds more tightly has the higher rank. Unary minus binds most tightly of all. */
const operators: Readonly<
  Record<string, { readonly rank: number; readonly apply: (left: number, right: number) => number }>
> = {
  "+": { rank: 1, apply: (left, right) => left + right },
  "-": { rank: 1, apply: (left, right) => left - right },
  "*": { rank: 2, apply: (left, right) => left * right },
  "/": { rank: 2, apply: (left, right) => left / right },
  "%": { rank: 2, apply: (left, right) => left % right },
  "^": { rank: 3, apply: (left, right) => left ** right },
};

const functions: Readonly<
  Record<string, { readonly arity: number; readonly apply: (...args: number[]) => number }>
> = {
  pow: { arity: 2, apply: Math.pow },
  min: { arity: 2, apply: Math.min },
  max: { arity: 2, apply: Math.max },
  sqrt: { arity: 1, apply: Math.sqrt },
  abs: { arity: 1, apply: Math.abs },
  exp: { arity: 1, apply: Math.exp },
  floor: { arity: 1, apply: Math.floor },
  ceil: { arity: 1, apply: Math.ceil },
  round: { arity: 1, apply: Math.round },
};

// Nesting is bounded so that a hostile header cannot exhaust the stack.
const maxExpressionLength = 500;

/** One day, as on the retry ladder. */
const maxWaitMs = 86_400_000;

/** Undefined where the expression is not one. A result that is no number counts as 0 ms. */
export function parseRetryDelay(expression: string): RetryDelay | undefined {
  if (expression.length > maxExpressionLength) return undefined;
  const tokens = expression.match(/\d+(?:\.\d+)?|[a-z]+|[-+*/%^(),]|\S/g) ?? [];
  let position = 0;
  const take = (wanted: string): string | undefined =>
    tokens[position] === wanted ? tokens[position++] : undefined;

  function expressionOf(minRank: number): Node | undefined {
    let left = unary();
    for (;;) {
      const token = tokens[position] ?? "";
      const operator = Object.hasOwn(operators, token) ? operators[token]! : undefined;
      if (left === undefined || operator === undefined || operator.rank < minRank) return left;
      position++;
      // 2^3^2 is 2^(3^2); all others go from left to right.
      const right = expressionOf(token === "^" ? operator.rank : operator.rank + 1);
      const before = left;
      left = right && ((retried) => operator.apply(before(retried), right(retried)));
    }
  }
  function unary(): Node | undefined {
    if (take("-") === undefined) return atom();
    const operand = unary();
    return operand && ((retried) => -operand(retried));
  }
  function atom(): Node | undefined {
    if (take("(") !== undefined) {
      const inner = expressionOf(1);
      return take(")") === undefined ? undefined : inner;
    }
    const token = tokens[position++];
    if (token === undefined) return undefined;
    if (/^\d/.test(token)) return () => Number(token);
    if (token === "retried") return (retried) => retried;
    return Object.hasOwn(functions, token) ? call(functions[token]!) : undefined;
  }
  function call(fn: (typeof functions)[string]): Node | undefined {
    const args: Node[] = [];
    if (take("(") === undefined) return undefined;
    do {
      const argument = expressionOf(1);
      if (argument === undefined) return undefined;
      args.push(argument);
    } while (take(",") !== undefined);
    if (take(")") === undefined || args.length !== fn.arity) return undefined;
    return (retried) => fn.apply(...args.map((argument) => argument(retried)));
  }

  const node = expressionOf(1);
  if (node === undefined || position !== tokens.length) return undefined;
  return { expression, ms: (retried) => toWait(node(retried)) };
}

const toWait = (value: number): number => (Number.isNaN(value) ? 0 : Math.min(maxWaitMs, Math.max(0, value)));
