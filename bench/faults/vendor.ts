// A vendor in OpenAI's shape that answers well, or with a fault.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { well, type Behaviour } from './behaviours.ts';
import { STORY, type Part } from './story.ts';

export interface Vendor {
  readonly url: string;
  /** From now on. */
  behave(behaviour: Behaviour): void;
  /** Chats that were asked for since it was last told how to behave. */
  readonly asked: number;
  stop(): Promise<void>;
}

interface Chat {
  readonly stream?: boolean;
  readonly messages: readonly Message[];
}

interface Message {
  readonly role: string;
  readonly content: unknown;
  /** The answer goes on from here: Kimi's way, which repeats nothing. */
  readonly partial?: boolean;
}

export async function startVendor(): Promise<Vendor> {
  let behaviour: Behaviour = well;
  let asked = 0;
  const server = createServer({ noDelay: true }, (req, res) => {
    if (!req.url?.endsWith('/chat/completions')) return void res.writeHead(404).end('{}');
    asked += 1;
    const { stream, whole } = behaviour;
    void textOf(req).then((text) => {
      const chat = JSON.parse(text) as Chat;
      const answer = chat.stream === true ? stream : whole;
      return answer(res, partIn(chat));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave(next) {
      behaviour = next;
      asked = 0;
    },
    get asked() {
      return asked;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** What it is to go on from; nothing, where nobody has told anything yet. */
function partIn({ messages }: Chat): Part {
  const last = messages.findLast(({ role, content }) => role === 'assistant' && isPart(content));
  const text = typeof last?.content === 'string' ? last.content : '';
  return { text, repeats: last?.partial === true ? 'nothing' : 'the last token' };
}

const isPart = (content: unknown): boolean =>
  typeof content === 'string' && content !== '' && STORY.startsWith(content);

async function textOf(req: IncomingMessage): Promise<string> {
  let text = '';
  req.setEncoding('utf8');
  for await (const chunk of req) text += chunk as string;
  return text;
}
