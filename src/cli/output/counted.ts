/** `1 source`, `2 sources`. `many` where it is not made with an s. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
