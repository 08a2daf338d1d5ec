export interface SseFrame {
  readonly id: string | undefined;
  /** Empty in a frame that only says where the stream is. */
  readonly data: string;
}

/** The frames of one piece of a stream; signs of life are none. */
export function framesOf(text: string): SseFrame[] {
  return text
    .split('\n\n')
    .filter((frame) => frame !== '' && !frame.startsWith(':'))
    .map((frame) => {
      const lines = frame.split('\n');
      const field = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      return { id: field('id'), data: field('data') ?? '' };
    });
}
