import type { Ear, Wire } from './peer.ts';
import type { Message } from './rpc.ts';

/** Anything that carries texts both ways, for all requests together. */
export interface Socket {
  onText(hear: (text: string) => void): void;
  write(text: string): void;
  close(): Promise<void>;
  vanish(): Promise<void>;
}

export function createSocketWire(ear: Ear, socket: Socket): Wire {
  socket.onText((text) => ear.hear(JSON.parse(text) as Message));
  const send = async (message: Message) =>
    socket.write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  return {
    send,
    async cancel(requestId) {
      await send({ method: 'notifications/cancelled', params: { requestId } });
      ear.ended(requestId);
    },
    async say(text) {
      socket.write(text);
      return { message: await ear.strays.next(`an answer to ${text}`, () => true) };
    },
    // Everything comes the one way there is.
    listen: async () => {},
    close: () => socket.close(),
    vanish: () => socket.vanish(),
  };
}
