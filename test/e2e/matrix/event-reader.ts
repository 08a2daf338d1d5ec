/** One event of a stream; without data it only says from where to go on. */
export interface StreamEvent {
  /** `message` unless told. */
  readonly event: string;
  readonly id?: string;
  readonly data: string;
  readonly retryMs?: number;
}

/** Takes a stream of events in whatever pieces it comes. */
export function createEventReader(onEvent: (event: StreamEvent) => void): (piece: string) => void {
  let rest = '';
  return (piece) => {
    const blocks = (rest + piece).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = block.split('\n').map(readField);
      const of = (name: string) => fields.filter((field) => field.name === name);
      const id = of('id').at(-1)?.value;
      const retry = of('retry').at(-1)?.value;
      const data = of('data').map(({ value }) => value);
      onEvent({
        event: of('event').at(-1)?.value ?? 'message',
        ...(id !== undefined && { id }),
        data: data.join('\n'),
        ...(retry !== undefined && { retryMs: Number(retry) }),
      });
    }
  };
}

function readField(line: string): { readonly name: string; readonly value: string } {
  const colon = line.indexOf(':');
  if (colon === -1) return { name: line, value: '' };
  return { name: line.slice(0, colon), value: line.slice(colon + 1).replace(/^ /, '') };
}
