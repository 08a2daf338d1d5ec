import type { RequestId } from '#mcp/json-rpc.ts';
import type { InFlight, OtherInFlight } from './in-flight.ts';
import type { Reply } from './call-reply.ts';
import type { McpLine } from './mcp-line.ts';

/** Answers a request as soon as its reply is there, unless it was cancelled or its client is gone by then. */
export type Later = (id: RequestId, reply: Promise<Reply>) => void;

export interface LaterOptions {
  readonly line: McpLine;
  readonly inFlight: InFlight;
  readonly isOver: () => boolean;
  readonly onSettled: () => void;
}

/** The replies must not reject. */
export function createLater({ line, inFlight, isOver, onSettled }: LaterOptions): Later {
  return (id, reply) => {
    // One of its own: the same id may be in flight again when the reply to one that was cancelled comes.
    const entry: OtherInFlight = { is: 'other' };
    inFlight.add(id, entry);
    void reply.then(({ text, status }) => {
      if (inFlight.get(id) !== entry || isOver()) return;
      inFlight.remove(id);
      line.reply(id, text, status);
      onSettled();
    });
  };
}
