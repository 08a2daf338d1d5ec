import { createAnswering } from './answering.ts';
import { principalOf } from './badges.ts';
import {
  checkAccess,
  checkState,
  followsOf,
  confirmsChange,
  markedArgs,
  noteJob,
  patienceOf,
  type ClientOptions,
  type SimClient,
} from './client.ts';
import type { MadeCall } from './shared-ids.ts';
import { commonHeaders, headerOf, isKnown, sendTo } from './http-options.ts';
import type { HttpWire } from './http-wire.ts';
import { patiently } from './daemon-freeze.ts';
import { createFollowing } from './job-follow.ts';
import { createRounds } from './rounds.ts';
import { MODERN_VERSION, clientProtocolOf, type HandoffChoice } from './client-protocols.ts';
import { framesOf } from './sse-frames.ts';
import type { Message } from './wire.ts';

interface Request {
  readonly id: string;
  readonly kind: 'call' | 'list' | 'listen';
  readonly call: MadeCall | undefined;
  wire: HttpWire | undefined;
  /** `lost`: its connection was cut, which cancels it. */
  state: 'waiting' | 'answered' | 'lost';
}

/** A client of Streamable HTTP since 2026-07-28: every request stands for itself. */
export function createHttpModern(options: ClientOptions): SimClient {
  const { name, plan, simulation, random, daemonFreeze } = options;
  const protocol = clientProtocolOf('modern', plan.can, plan.follows);
  const headers = commonHeaders(options);
  const about = { ...options, can: plan.can, manner: plan.manner };
  const requests = new Set<Request>();
  let ids = 0;
  let onChange: (() => void) | undefined;
  let life: 'on' | 'finishing' = 'on';

  const rounds = createRounds({
    ...about,
    badge: principalOf(plan),
    answering: createAnswering(about),
    make(call, again) {
      if (life !== 'on') return undefined;
      return ask('call', call, (id) =>
        protocol.call(id, call.tool, markedArgs(call.args, id), again),
      );
    },
  });

  const following = createFollowing({
    ...followsOf(options),
    call: (tool, args) => (life === 'on' ? call({ tool, args }) : undefined),
    ...(protocol.task && {
      task: (...about) => ask('list', undefined, (id) => protocol.task?.(id, ...about) ?? ''),
    }),
  });

  function settle(request: Request, state: 'answered' | 'lost'): void {
    if (request.state !== 'waiting') return;
    request.state = state;
    onChange?.();
  }

  function ask(
    kind: Request['kind'],
    call: MadeCall | undefined,
    text: (id: string) => string,
  ): string {
    const id = `${name}-${++ids}`;
    const request: Request = { id, kind, call, wire: undefined, state: 'waiting' };
    const body = text(id);
    const { method, params } = JSON.parse(body) as {
      method: string;
      params: { name?: string; taskId?: string };
    };
    const subject = params.name ?? params.taskId;
    let status = 0;
    let isStream = false;
    let whole = '';
    requests.add(request);
    request.wire = sendTo(
      options,
      {
        method: 'POST',
        body,
        headers: {
          ...headers,
          'mcp-protocol-version': MODERN_VERSION,
          'mcp-method': method,
          ...(subject !== undefined && { 'mcp-name': subject }),
        },
      },
      {
        onHead(given, head) {
          status = given;
          isStream = headerOf(head, 'content-type') === 'text/event-stream';
        },
        onText(text) {
          if (!isStream) whole += text;
          else for (const { data } of framesOf(text)) if (data !== '') hear(request, data);
        },
        onClosed(how) {
          if (how === 'ended' && !isStream) answered(request, status, whole);
          if (how === 'ended' && request.state === 'waiting' && request.kind !== 'listen')
            simulation.violate(
              'answered',
              `${name} has a stream that ends without answering ${id}`,
            );
          settle(request, 'lost');
        },
      },
      id,
    );
    return id;
  }

  function answered(request: Request, status: number, text: string): void {
    if (status === 401) {
      if (isKnown(options)) simulation.violate('close', `${name} is told that it is nobody`);
      return settle(request, 'lost');
    }
    if (![200, 400, 503].includes(status))
      simulation.violate('status', `${name} is answered ${request.id} with ${status}`);
    hear(request, text);
  }

  function hear(request: Request, text: string): void {
    const heard = protocol.hear(JSON.parse(text) as Message);
    const { id } = request;
    if (heard.is === 'progress' && heard.token === id) return;
    if (heard.is === 'other' && request.kind === 'listen') return;
    if (heard.is === 'task-news' && request.kind === 'listen') return following.hear(heard);
    if (heard.is !== 'answer' || heard.id !== id)
      return simulation.violate('stream', `${name} hears ${text} during ${id}`);
    if (request.state === 'answered')
      return simulation.violate('answers', `${id} is answered twice`);
    checkState(options, heard);
    if (confirmsChange(heard)) options.acknowledged.add(heard.reqId);
    noteJob(options, heard);
    following.hear(heard);
    checkAccess(options, heard);
    if (heard.asks && request.call) rounds.hear(id, request.call, heard.asks);
    settle(request, 'answered');
  }

  function call(made: MadeCall, wish?: HandoffChoice): string {
    const more = { ...rounds.firstly(made), ...(wish && { wish }) };
    return ask('call', made, (id) => protocol.call(id, made.tool, markedArgs(made.args, id), more));
  }

  function waiting(): Request[] {
    return [...requests].filter(({ state }) => state === 'waiting');
  }

  function listen(): void {
    ask('listen', undefined, (id) => {
      const list = JSON.parse(protocol.list(id)) as { params: object };
      // Of whatever it came to know, its own or not.
      const taskIds = protocol.task && options.jobs.map((job) => job.id);
      const notifications = { toolsListChanged: true, ...(taskIds && { taskIds }) };
      const params = { ...list.params, notifications };
      return JSON.stringify({ ...list, method: 'subscriptions/listen', params });
    });
  }

  return {
    act(act) {
      switch (act.is) {
        case 'call':
          call({ tool: act.tool, args: act.args }, act.wish);
          return;
        case 'list':
          ask('list', undefined, (id) => protocol.list(id));
          return;
        case 'cancel':
          // In this era that is how to cancel.
          return waiting()
            .at(-1 - act.back)
            ?.wire?.cut();
        case 'cut': {
          const open = waiting();
          if (open.length > 0) random.pick(open).wire?.cut();
          return;
        }
        case 'dawdle':
          for (const { wire } of waiting()) wire?.dawdle(act.ms);
          return;
        case 'duplicate':
        case 'cancel-unknown':
        case 'garbage':
        case 'end':
      }
    },
    trick(trick) {
      if (trick.is === 'listen') listen();
      else if (trick.is === 'forge') rounds.forge(trick.how);
    },
    finish() {
      life = 'finishing';
      rounds.stop();
      following.stop();
      for (const { kind, wire } of waiting()) if (kind === 'listen') wire?.cut();
      return new Promise((resolve) => {
        const tooLong = patiently(simulation, daemonFreeze, patienceOf(plan), () =>
          simulation.violate(
            'answered',
            `${name} still waits for ${waiting()
              .map(({ id }) => id)
              .join(' ')}`,
          ),
        );
        onChange = () => {
          if (waiting().length > 0) return;
          tooLong.stop();
          resolve();
        };
        onChange();
      });
    },
  };
}
