import type { HeaderList, ResponseSink } from '../http/http-context.ts';

export interface SeenEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/** A client's end of one answer, which reads all it is sent. */
export interface FakeOut extends ResponseSink {
  is: 'waiting' | 'answered' | 'streaming' | 'ended' | 'cut';
  status: number | undefined;
  body: string;
  headers: HeaderList;
  bufferedBytes: number;
  /** The client hangs up. */
  hangUp(): void;
  events(): SeenEvent[];
  /** The messages alone: no priming, no signs of life. */
  messages(): string[];
}

export function createFakeOut(): FakeOut {
  const out: FakeOut = {
    is: 'waiting',
    status: undefined,
    body: '',
    headers: [],
    bufferedBytes: 0,
    onClose: undefined,
    answer(status, _type, body, headers = []) {
      if (out.is !== 'waiting') return;
      Object.assign(out, { is: 'answered', status, body, headers });
    },
    openStream(headers = []) {
      if (out.is === 'waiting') Object.assign(out, { is: 'streaming', headers });
    },
    write(text) {
      if (out.is === 'streaming') out.body += text;
    },
    end(last = '') {
      out.write(last);
      if (out.is === 'streaming') out.is = 'ended';
    },
    destroy() {
      out.is = 'cut';
      out.onClose?.();
    },
    hangUp() {
      out.is = 'cut';
      out.onClose?.();
    },
    events: () => readEvents(out.body),
    messages: () => messagesOf(readEvents(out.body)),
  };
  return out;
}

export function readEvents(body: string): SeenEvent[] {
  const frames = body.split('\n\n').slice(0, -1);
  return frames.filter((frame) => !frame.startsWith(':')).map(readEvent);
}

function readEvent(frame: string): SeenEvent {
  const lines = frame.split('\n');
  const field = (name: string) =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  return { id: field('id'), data: field('data') ?? '' };
}

export function messagesOf(events: readonly SeenEvent[]): string[] {
  return events.flatMap(({ data }) => (data === '' ? [] : [data]));
}
