/** One event of a stream, as its lines say. */
export interface ReadEvent {
  /** Empty where the event has no name. */
  readonly name: string;
  readonly data: string;
}

export interface ReadEvents {
  readonly events: readonly ReadEvent[];
  readonly comments: number;
  readonly wrong: readonly string[];
}

/**
 * Takes a stream apart that is written as plainly as can be; every other way to write one is wrong
 * here.
 */
export function readEvents(body: string): ReadEvents {
  const wrong: string[] = [];
  if (body.includes('\r')) wrong.push('a line ends with CR');
  const blocks = body.split('\n\n');
  const rest = blocks.pop() ?? '';
  if (rest !== '') wrong.push(`an event without its end: ${shown(rest)}`);
  let comments = 0;
  const events = blocks.flatMap((block) => {
    if (block.split('\n').every((line) => line.startsWith(':'))) {
      comments += 1;
      return [];
    }
    const [first = '', second] = block.split('\n');
    const named = /^event: (.+)$/.exec(first);
    const line = named ? second : first;
    const lines = block.split('\n').length;
    if (lines > (named ? 2 : 1) || line === undefined || !line.startsWith('data: ')) {
      wrong.push(`an event of other lines: ${shown(block)}`);
      return [];
    }
    return [{ name: named?.[1] ?? '', data: line.slice('data: '.length) }];
  });
  return { events, comments, wrong };
}

export function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}

export type Dictionary = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Dictionary {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Nothing where it is no object. */
export function objectIn(text: string): Dictionary | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    // What is no JSON is no object either.
    return undefined;
  }
}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
