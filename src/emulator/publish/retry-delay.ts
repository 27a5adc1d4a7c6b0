/**
 * The retry delay expression: milliseconds as arithmetic over `retried`, for example
 * `1000 * (1 + retried)` or `pow(2, retried) * 500`.
 */
export interface RetryDelay {
  readonly expression: string;
  readonly ms: (retried: number) => number;
}

type Node = (retried: number) => number;

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
const longestMs = 86_400_000;

/** Undefined where the expression is not one. A result that is no number counts as 0 ms. */
export function parseRetryDelay(expression: string): RetryDelay | undefined {
  if (expression.length > maxExpressionLength) return undefined;
  const tokens = expression.match(/\d+(?:\.\d+)?|[a-z]+|[-+*/%^(),]|\S/g) ?? [];
  let position = 0;
  const take = (...wanted: string[]): string | undefined =>
    wanted.includes(tokens[position] ?? "") ? tokens[position++] : undefined;

  function sum(): Node | undefined {
    return chain(product, ["+", "-"]);
  }
  function product(): Node | undefined {
    return chain(power, ["*", "/", "%"]);
  }
  function chain(operand: () => Node | undefined, operators: string[]): Node | undefined {
    let left = operand();
    for (let operator = take(...operators); operator !== undefined; operator = take(...operators)) {
      const right = operand();
      if (left === undefined || right === undefined) return undefined;
      left = combine(operator, left, right);
    }
    return left;
  }
  function power(): Node | undefined {
    const base = unary();
    if (take("^") === undefined) return base;
    const exponent = power();
    return base && exponent && combine("^", base, exponent);
  }
  function unary(): Node | undefined {
    if (take("-") === undefined) return atom();
    const operand = unary();
    return operand && ((retried) => -operand(retried));
  }
  function atom(): Node | undefined {
    if (take("(") !== undefined) {
      const inner = sum();
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
      const argument = sum();
      if (argument === undefined) return undefined;
      args.push(argument);
    } while (take(",") !== undefined);
    if (take(")") === undefined || args.length !== fn.arity) return undefined;
    return (retried) => fn.apply(...args.map((argument) => argument(retried)));
  }

  const node = sum();
  if (node === undefined || position !== tokens.length) return undefined;
  return { expression, ms: (retried) => toWait(node(retried)) };
}

function combine(operator: string, left: Node, right: Node): Node {
  switch (operator) {
    case "+":
      return (retried) => left(retried) + right(retried);
    case "-":
      return (retried) => left(retried) - right(retried);
    case "*":
      return (retried) => left(retried) * right(retried);
    case "/":
      return (retried) => left(retried) / right(retried);
    case "%":
      return (retried) => left(retried) % right(retried);
    default:
      return (retried) => left(retried) ** right(retried);
  }
}

const toWait = (value: number): number => (Number.isNaN(value) ? 0 : Math.min(longestMs, Math.max(0, value)));
