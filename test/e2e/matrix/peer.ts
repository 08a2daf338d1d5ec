import { createInbox, type Inbox } from './inbox.ts';
import * as rpc from './rpc.ts';
import type { Members, Message, RequestId } from './rpc.ts';

export type Era = 'legacy' | 'modern';

/**
 * A client of one daemon, by one transport and in one era, which speaks JSON-RPC by hand and keeps all
 * that it hears.
 */
export interface Peer {
  readonly era: Era;
  /** What the server said when it was greeted: to `initialize`, or to `server/discover`. */
  readonly greeting: Answer;
  /** What belongs to no request. */
  readonly heard: Inbox;
  /** Answers that nobody waits for, or that do not say to what. */
  readonly strays: Inbox;
  request(method: string, params?: Members, options?: RequestOptions): Promise<Answer>;
  /** The same, with the id at once. */
  start(method: string, params?: Members, options?: RequestOptions): Started;
  notify(method: string, params?: Members): Promise<void>;
  /** How it answers what it is asked from now on. */
  answer(method: string, how: (params: Members) => Members | Promise<Members>): void;
  answerTo(question: Asked): Promise<Members>;
  /** Takes a request back, as the transport and the era have it. */
  cancel(id: RequestId): Promise<void>;
  /** Says something that need not be a message; gives what comes back. */
  say(text: string): Promise<PeerAnswer>;
  /** Leaves as it should. */
  close(): Promise<void>;
  /** Is gone from one moment to the next. */
  vanish(): Promise<void>;
}

export interface Answer {
  readonly result?: Members;
  readonly error?: rpc.RpcError;
  /** HTTP's word for it. */
  readonly status?: number;
  /** What was told on the way to it. */
  readonly told: readonly Message[];
  /** What was asked on the way to it. */
  readonly asked: readonly Asked[];
}

export interface Asked {
  readonly method: string;
  readonly params: Members;
}

export interface Started {
  readonly id: RequestId;
  /** What has been told on the way so far. */
  readonly told: readonly Message[];
  readonly answer: Promise<Answer>;
}

/** An answer as it came. */
export interface PeerAnswer {
  readonly message: Message;
  readonly status?: number;
}

export interface RequestOptions {
  /** The next number unless told. */
  readonly id?: RequestId;
  /** Beside what the era wants there. What is undefined is left out. */
  readonly meta?: Members;
}

export interface PeerOptions {
  /** What the client says that it can be asked; everything unless told. */
  readonly capabilities?: Members;
  /** How a legacy client greets; `none` leaves that to the caller. */
  readonly greeting?: 'usual' | 'none';
}

/** One way to a daemon. */
export interface Wire {
  /** Resolves once it was taken; the answer to a request comes later. */
  send(message: Message): Promise<void>;
  cancel(id: RequestId): Promise<void>;
  say(text: string): Promise<PeerAnswer>;
  /** A legacy client has been greeted, and wants to hear what belongs to no request. */
  listen(): Promise<void>;
  close(): Promise<void>;
  vanish(): Promise<void>;
}

export interface Ear {
  /** `about`: the request on whose stream it came, where each has one. */
  hear(message: Message, about?: RequestId, status?: number): void;
  /** Nothing more comes for this request. */
  ended(id: RequestId): void;
  readonly strays: Inbox;
}

export type OpenWire = (ear: Ear, era: Era) => Promise<Wire>;

interface Waiting {
  readonly method: string;
  readonly told: Message[];
  readonly asked: Asked[];
  settle(answer: Pick<Answer, 'result' | 'error' | 'status'>): void;
}

const EVERYTHING: Members = { elicitation: {}, sampling: {}, roots: {} };
const CLIENT = { name: 'matrix', version: '1' };
const PATIENCE_MS = 90_000;
/** What a server tells of a request that is under way. */
const OF_A_REQUEST = new Set(['notifications/progress', 'notifications/message']);

export async function createPeer(
  era: Era,
  openWire: OpenWire,
  options: PeerOptions = {},
): Promise<Peer> {
  const { capabilities = EVERYTHING } = options;
  const waiting = new Map<RequestId, Waiting[]>();
  const heard = createInbox();
  const strays = createInbox();
  const answers = new Map<string, (params: Members) => Members | Promise<Members>>();
  let lastId = 0;
  let isGone = false;

  const ear: Ear = { hear, ended, strays };
  const wire = await openWire(ear, era);

  /** The requests that something belongs to: of a socket it is not known, so it may be any. */
  function concerned(about: RequestId | undefined): Waiting[] {
    return about === undefined ? [...waiting.values()].flat() : (waiting.get(about) ?? []);
  }

  function hear(message: Message, about?: RequestId, status?: number): void {
    const { id, method } = message;
    if (method === undefined) return onAnswer(message, about, status);
    if (id !== undefined && id !== null) return void onQuestion(id, message, about);
    if (about === undefined && !OF_A_REQUEST.has(method)) return heard.put(message);
    for (const { told, method: of } of concerned(about)) {
      if (of === 'subscriptions/listen') heard.put(message);
      else told.push(message);
    }
  }

  function onAnswer(message: Message, about?: RequestId, status?: number): void {
    const id = message.id ?? about;
    const first = id === undefined ? undefined : waiting.get(id)?.shift();
    if (!first) return strays.put(message);
    const { result, error } = message;
    first.settle({
      ...(result && { result }),
      ...(error && { error }),
      ...(status !== undefined && { status }),
    });
  }

  async function onQuestion(id: RequestId, message: Message, about?: RequestId): Promise<void> {
    const question: Asked = { method: message.method ?? '', params: message.params ?? {} };
    for (const { asked } of concerned(about)) asked.push(question);
    const answer: Message = await answerTo(question).then(
      (result) => ({ id, result }),
      (thrown: Error) => ({ id, error: { code: -1, message: thrown.message } }),
    );
    // Who leaves may hang up on its own last words; a call that really lacks them is not answered.
    await wire.send(answer).catch(() => {});
  }

  async function answerTo({ method, params }: Asked): Promise<Members> {
    const how = answers.get(method);
    if (!how) throw new Error(`Nobody here answers ${method}`);
    return how(params);
  }

  function ended(id: RequestId): void {
    waiting.get(id)?.shift()?.settle({});
  }

  function start(
    method: string,
    params: Members = {},
    { id = ++lastId, meta }: RequestOptions = {},
  ): Started {
    const told: Message[] = [];
    const answer = new Promise<Answer>((resolve, reject) => {
      const asked: Asked[] = [];
      const late = setTimeout(() => {
        // A subscription is answered when it ends.
        if (method !== 'subscriptions/listen') reject(new Error(`${method} was not answered`));
      }, PATIENCE_MS);
      const settle: Waiting['settle'] = (given) => {
        clearTimeout(late);
        resolve({ ...given, told, asked });
      };
      const others = waiting.get(id) ?? [];
      waiting.set(id, [...others, { method, told, asked, settle }]);
      wire.send({ id, method, params: withMeta(params, meta) }).catch(reject);
    });
    return { id, told, answer };
  }

  function withMeta(params: Members, meta: Members | undefined): Members {
    if (era === 'legacy') return meta ? { ...params, _meta: meta } : params;
    const claim = {
      [rpc.VERSION_KEY]: rpc.MODERN_VERSION,
      [rpc.CAPABILITIES_KEY]: capabilities,
      [rpc.CLIENT_KEY]: CLIENT,
    };
    return { ...params, _meta: { ...claim, ...meta } };
  }

  const request: Peer['request'] = (method, params, about) => start(method, params, about).answer;
  const notify: Peer['notify'] = (method, params) =>
    wire.send({ method, ...(params && { params }) });

  async function greet(): Promise<Answer> {
    if (options.greeting === 'none') return { told: [], asked: [] };
    if (era === 'modern') return request('server/discover');
    const answer = await request('initialize', {
      protocolVersion: rpc.LEGACY_VERSION,
      capabilities,
      clientInfo: CLIENT,
    });
    await notify('notifications/initialized');
    await wire.listen();
    return answer;
  }

  async function leave(way: () => Promise<void>): Promise<void> {
    if (isGone) return;
    isGone = true;
    await way();
    for (const one of [...waiting.values()].flat()) one.settle({});
  }

  const greeting = await greet().catch(async (thrown: unknown) => {
    await leave(() => wire.vanish());
    throw thrown;
  });

  return {
    era,
    greeting,
    heard,
    strays,
    start,
    request,
    notify,
    answer: (method, how) => void answers.set(method, how),
    answerTo,
    cancel: (id) => wire.cancel(id),
    say: (text) => wire.say(text),
    close: () => leave(() => wire.close()),
    vanish: () => leave(() => wire.vanish()),
  };
}
