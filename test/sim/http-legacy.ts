import { createAnswering, createAskedOf } from './answering.ts';
import {
  checkAccess,
  followsOf,
  confirmsChange,
  markedArgs,
  noteJob,
  patienceOf,
  type ClientOptions,
  type SimClient,
} from './client.ts';
import {
  endSession,
  isAlone,
  newSession,
  place,
  sendNote,
  UNSOLICITED,
  type HttpSession,
  type Post,
  type SendHttp,
} from './http-session.ts';
import { commonHeaders, headerOf, isKnown, sendTo } from './http-options.ts';
import { isLastWord, mayBeEnded, mayBeGone } from './http-endings.ts';
import { createHttpTricks } from './http-tricks.ts';
import type { HttpEar, HttpWire } from './http-wire.ts';
import { createListening, QUIET_MS } from './http-listening.ts';
import { patiently } from './daemon-freeze.ts';
import { createFollowing } from './job-follow.ts';
import { INITIALIZED, initializeText, clientProtocolOf } from './client-protocols.ts';
import { framesOf, type SseFrame } from './sse-frames.ts';
import type { Message } from './wire.ts';

/**
 * A client of Streamable HTTP as it was until 2025-11-25: a session, a stream for each request, and
 * one beside.
 */
export function createHttpLegacy(options: ClientOptions): SimClient {
  const { name, plan, simulation, random, daemonFreeze, http } = options;
  const protocol = clientProtocolOf('legacy', plan.can);
  const headers = commonHeaders(options);
  const about = { ...options, can: plan.can, manner: plan.manner };
  const answering = createAnswering(about);
  const wires = new Set<HttpWire>();
  const posts = new Set<Post>();
  /** The newest last. */
  const calls: Post[] = [];
  let session: HttpSession | undefined;
  let opening: Post | undefined;
  let queue: (() => void)[] = [];
  let ids = 0;
  let onChange: (() => void) | undefined;
  let life: 'on' | 'finishing' | 'over' = 'on';
  let readsFrom = 0;

  const send: SendHttp = (asked, to, ear, more = {}) => {
    const named = to && { 'mcp-session-id': to.id, 'mcp-protocol-version': plan.version };
    const wire = sendTo(
      options,
      { ...asked, headers: { ...headers, ...named, ...more } },
      {
        ...ear,
        onClosed(how) {
          wires.delete(wire);
          ear.onClosed(how);
          onChange?.();
        },
      },
    );
    wires.add(wire);
    to?.wires.add(wire);
    if (readsFrom > simulation.now) wire.dawdle(readsFrom - simulation.now);
    return wire;
  };
  const tricks = createHttpTricks(options, send);
  const listening = createListening(options, {
    send,
    isOn: () => life === 'on',
    hear(from, frame, how) {
      if (from === session) hearFrame(undefined, frame, how);
    },
    refused,
  });

  const following = createFollowing({
    ...followsOf(options),
    call(tool, args) {
      if (life === 'on') ask((id) => protocol.call(id, tool, markedArgs(args, id)), 'call');
      return undefined;
    },
  });

  /** Someone who is not let in, or a session that is not there: whether that can be. */
  function refused(
    status: number,
    from: HttpSession | undefined,
    wire: HttpWire | undefined,
  ): void {
    if (status === 401) {
      if (isKnown(options)) simulation.violate('close', `${name} is told that it is nobody`);
      // What it still waits for it could not even be asked about.
      if (from?.state === 'open') end(from, 'gone');
      return;
    }
    if (status === 404 && from) return lose(from, wire);
    if (status !== 503 && status !== 429)
      simulation.violate('status', `${name} is refused with ${status}`);
  }

  function lose(from: HttpSession, wire: HttpWire | undefined): void {
    if (from.state !== 'open') return;
    if (!mayBeGone(options, from, wire))
      simulation.violate('session', `${name} is told that its session ${from.id} is over`);
    end(from, 'gone');
  }

  function end(from: HttpSession, how: 'left' | 'gone'): void {
    from.state = how;
    from.asked.end();
    for (const post of posts)
      if (post.session === from && post.state === 'waiting') settle(post, 'lost');
    if (session === from) session = undefined;
  }

  function settle(post: Post, state: Exclude<Post['state'], 'waiting'>): void {
    post.state = state;
    post.settledAt = simulation.now;
    if (post === opening) {
      opening = undefined;
      const waiting = queue;
      queue = [];
      // Whoever waited for a session that did not come about asked nothing.
      if (state === 'answered' && session) for (const act of waiting) act();
    }
    onChange?.();
  }

  function earOf(post: Post, how: 'new' | 'resumed'): HttpEar {
    let status = 0;
    let isStream = false;
    let body = '';
    let lifeThere = 0;
    return {
      onArrived: () => void (lifeThere = http.life),
      onHead(given, head) {
        status = given;
        isStream = headerOf(head, 'content-type') === 'text/event-stream';
        const id = headerOf(head, 'mcp-session-id');
        if (id !== undefined && post.kind === 'open') post.session ??= begin(id, post, lifeThere);
      },
      onText(text) {
        if (isStream) for (const frame of framesOf(text)) hearFrame(post, frame);
        else body += text;
      },
      onClosed(closed) {
        if (closed === 'ended' && !isStream) {
          if (status === 200) hearMessage(post, body);
          else refusedPost(post, status, how);
        } else if (post.state === 'waiting') broken(post, closed);
      },
    };
  }

  function refusedPost(post: Post, status: number, how: 'new' | 'resumed'): void {
    if (post.state !== 'waiting') return;
    // What is wrong with a request, such as an id that is in use, is said in answer to it.
    if (status === 400 && how === 'new') return settle(post, 'answered');
    if (status === 400 && http.room === 'tight') return settle(post, 'lost');
    refused(status, post.session, post.wire);
    if (post.state === 'waiting') settle(post, 'lost');
  }

  /** The connection is over, and the answer is not there. */
  function broken(post: Post, how: 'ended' | 'cut' | 'refused'): void {
    const from = post.session;
    if (post.stream === undefined || !from) {
      // Cut before there was an event to come back to. A stream that the daemon itself ends needs a
      // reason.
      if (how === 'ended' && from && !mayBeEnded(options, from))
        simulation.violate(
          'answered',
          `${name} has a stream that ends without answering ${post.id}`,
        );
      return settle(post, 'lost');
    }
    if (from.state !== 'open') return settle(post, 'lost');
    const waitMs = random.chance(0.2) ? random.between(200, 1200) : random.between(0, 150);
    simulation.after(how === 'refused' ? waitMs + 200 : waitMs, () => resume(post, from));
  }

  function resume(post: Post, from: HttpSession): void {
    if (post.state !== 'waiting') return;
    const last = `${post.stream}-${from.seen.get(post.stream ?? 0)}`;
    const asked = { method: 'GET', body: '' } as const;
    post.wire = send(asked, from, earOf(post, 'resumed'), { 'last-event-id': last });
  }

  function hearFrame(post: Post | undefined, frame: SseFrame, how: 'anew' | 'on' = 'on'): void {
    const from = post ? post.session : session;
    if (!from) return;
    if (frame.id === undefined)
      return simulation.violate('events', `${name} has an event without an id`);
    const stream = place(simulation, from, frame.id, { data: frame.data, how });
    if (!post) {
      if (stream !== UNSOLICITED)
        simulation.violate(
          'stream',
          `${name} has an event of stream ${stream} where it asked nothing`,
        );
      const seen = from.seen.get(stream) ?? 0;
      if (from.life === http.life && seen > http.told(from.id))
        simulation.violate('foreign', `${name} hears more than was told to ${from.id}`);
    } else {
      if (!from.owners.has(stream)) from.owners.set(stream, post);
      if (from.owners.get(stream) !== post || stream !== (post.stream ??= stream))
        simulation.violate('stream', `${name} has an event of stream ${stream} during ${post.id}`);
    }
    if (frame.data !== '') hearMessage(post, frame.data, from);
  }

  function hearMessage(post: Post | undefined, text: string, from = post?.session): void {
    const heard = protocol.hear(JSON.parse(text) as Message);
    if (from && isLastWord(text)) lastWord(from, text);
    else if (from && from.life === http.life && !http.isSaid(from.id, text))
      simulation.violate('foreign', `${name} hears in ${from.id} what was not said there: ${text}`);
    const wrong = () =>
      simulation.violate(
        'stream',
        `${name} hears ${text} ${post ? `during ${post.id}` : 'unasked'}`,
      );
    switch (heard.is) {
      case 'answer': {
        if (!post || heard.id !== post.id) return wrong();
        if (post.state === 'answered')
          return simulation.violate('answers', `${name} was answered ${post.id} twice`);
        // A daemon that stops says no more than it must.
        if (from?.life === http.life && !http.isStopping && isAlone(posts, post))
          from.asked.settled(post.id);
        if (confirmsChange(heard)) options.acknowledged.add(heard.reqId);
        noteJob(options, heard);
        following.hear(heard);
        checkAccess(options, heard);
        if (post.kind === 'open') ready(post);
        if (post.state === 'waiting') settle(post, 'answered');
        return;
      }
      case 'question':
        if (!post) return wrong();
        return from?.asked.hear(heard.id, heard.question, () => [post.id]);
      case 'withdrawn':
        if (!post) return wrong();
        return from?.asked.withdrawn(heard.id);
      case 'progress':
        if (heard.token !== post?.id) wrong();
        return;
      case 'task-news':
      case 'other':
        if (post) wrong();
    }
  }

  /** The session ends before an answer: somebody must have ended it. */
  function lastWord(from: HttpSession, text: string): void {
    if (!mayBeEnded(options, from))
      simulation.violate('session', `${name} hears in ${from.id}: ${text}`);
  }

  function begin(id: string, post: Post, ofLife: number): HttpSession {
    const made: HttpSession = newSession({
      id,
      life: ofLife,
      asked: createAskedOf(about, answering, (text) => tell(made, text, 'surely')),
      wires: new Set(post.wire ? [post.wire] : []),
    });
    return made;
  }

  function ready(post: Post): void {
    if (!post.session || post.session.state !== 'open') return;
    session = post.session;
    options.sharedIds.sessions.push({ badge: plan.badge, id: session.id });
    tell(session, INITIALIZED, 'once');
    if (random.chance(0.5)) listening.listen(session);
  }

  /** Says something that has no answer; `surely`: again until it has come through. */
  function tell(to: HttpSession, body: string, how: 'once' | 'surely'): void {
    sendNote(send, to, body, {
      refused: (status, wire) => refused(status, to, wire),
      lost() {
        if (how === 'surely')
          simulation.after(random.between(20, 120), () => {
            if (to.state === 'open' && life !== 'over') tell(to, body, how);
          });
      },
    });
  }

  function post(text: string, id: string, kind: Post['kind']): Post {
    // prettier-ignore
    const made: Post = { id, text, kind, session: kind === 'open' ? undefined : session, wire: undefined, stream: undefined, state: 'waiting', settledAt: 0 };
    posts.add(made);
    if (kind === 'open') opening = made;
    made.wire = send({ method: 'POST', body: text }, made.session, earOf(made, 'new'));
    return made;
  }

  function inSession(act: () => void): void {
    if (session) return act();
    queue.push(act);
    if (opening) return;
    const id = `${name}-open-${++ids}`;
    post(initializeText(id, plan.version, plan.can), id, 'open');
  }

  function ask(text: (id: string) => string, kind: 'call' | 'list'): void {
    inSession(() => {
      const id = `${name}-${++ids}`;
      const made = post(text(id), id, kind);
      if (kind === 'call') calls.push(made);
    });
  }

  function take(back: number): Post | undefined {
    const at = calls.length - 1 - back;
    return at < 0 ? undefined : calls.splice(at, 1)[0];
  }

  function cancel(back: number, why?: 'time'): void {
    const call = take(back);
    if (!call?.session || call.session.state !== 'open') return;
    for (const one of posts)
      if (one.id === call.id && one.state === 'waiting') settle(one, 'cancelled');
    tell(call.session, protocol.cancel(call.id, why), 'once');
  }

  function leave(): void {
    const from = session;
    if (!from) return;
    end(from, 'left');
    endSession(send, from, () => http.sessionOver(from.id));
  }

  function goodbye(resolve: () => void): void {
    if (session) listening.check(session, readsFrom);
    life = 'over';
    onChange = () => {
      if (wires.size === 0) resolve();
    };
    if (session && random.chance(0.7)) leave();
    else if (session) end(session, 'left');
    for (const wire of wires) if (random.chance(0.5)) wire.cut();
    simulation.after(200, () => {
      for (const wire of wires) wire.cut();
    });
    onChange();
  }

  return {
    act(act) {
      switch (act.is) {
        case 'call':
          return ask((id) => protocol.call(id, act.tool, markedArgs(act.args, id), act), 'call');
        case 'list':
          return ask((id) => protocol.list(id), 'list');
        case 'cancel':
          return cancel(act.back, act.why);
        case 'duplicate': {
          const call = take(act.back);
          if (call && session && call.session === session) post(call.text, call.id, 'call');
          return;
        }
        case 'cancel-unknown':
          if (session) tell(session, protocol.cancel('nobody-asked'), 'once');
          return;
        case 'dawdle':
          readsFrom = simulation.now + act.ms;
          for (const wire of wires) wire.dawdle(act.ms);
          return;
        case 'end':
          return leave();
        case 'cut':
          if (wires.size > 0) random.pick([...wires]).cut();
          return;
        case 'garbage':
          if (session) tricks.garble(session, act.which);
          return;
      }
    },
    trick(trick) {
      if (trick.is === 'listen') inSession(() => session && listening.listen(session));
      else if (trick.is === 'steal') tricks.steal(trick.what);
      else if (trick.is === 'reread' && session) tricks.reread(session);
    },
    finish() {
      life = 'finishing';
      return new Promise((resolve) => {
        const owed = () => [...posts].flatMap(({ id, state }) => (state === 'waiting' ? [id] : []));
        const tooLong = patiently(simulation, daemonFreeze, patienceOf(plan), () =>
          simulation.violate('answered', `${name} still waits for ${owed().join(' ')}`),
        );
        let isLeaving = false;
        onChange = () => {
          if (isLeaving || owed().length > 0 || queue.length > 0) return;
          isLeaving = true;
          tooLong.stop();
          simulation.after(QUIET_MS, () => goodbye(resolve));
        };
        onChange();
      });
    },
  };
}
