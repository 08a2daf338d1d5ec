/** About how long a value is as JSON, but no more than `max`: looking stops there. */
export function sizeWithin(value: unknown, max: number): number {
  let size = 0;
  const todo: unknown[] = [value];
  while (todo.length > 0 && size < max) {
    const next = todo.pop();
    if (typeof next === 'string') size += next.length + 2;
    else if (Array.isArray(next)) {
      size += 2 + next.length;
      for (const item of next) todo.push(item);
    } else if (typeof next === 'object' && next !== null) {
      size += 2;
      for (const key in next) {
        size += key.length + 4;
        todo.push((next as Record<string, unknown>)[key]);
      }
    } else size += 6;
  }
  return Math.min(size, max);
}
