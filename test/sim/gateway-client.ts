import type { GatewayChatAnswer } from '#core/llm/gateway.ts';
import type { Id } from '#core/ids.ts';
import type { ReadAnswer } from '../cases/gateway-readers.ts';
import { isWelcome, tokenOf } from './badges.ts';
import { PATIENCE_MS, type ClientOptions, type SimClient } from './client.ts';
import { factsFault, judge, modelsFault, type GatewayAsked } from './gateway-judge.ts';
import { orderOf } from './gateway-order.ts';
import type { GatewayClientPlan } from './gateway-plan.ts';
import { headerOf, isKnown, sendTo } from './http-options.ts';
import type { HttpWire } from './http-wire.ts';
import { patiently } from './daemon-freeze.ts';

interface Chat extends GatewayAsked {
  readonly reqId: Id<'req'>;
  readonly socket: object;
  wire: HttpWire | undefined;
  status: number;
  type: string;
  body: string;
  /** Whether its client let it wait. */
  isSlow: boolean;
  state: 'waiting' | 'over';
}

export interface GatewayClientOptions extends Omit<ClientOptions, 'plan'> {
  readonly plan: GatewayClientPlan;
  readonly mayQuote: boolean;
}

/**
 * A client of `/v1/chat/completions` or `/v1/messages`: a request each, over a connection that it
 * may use again.
 */
export function createGatewayClient(options: GatewayClientOptions): SimClient {
  const { name, plan, simulation, daemonFreeze, disk, http } = options;
  const chats: Chat[] = [];
  const sockets: object[] = [];
  let onChange: (() => void) | undefined;

  const waiting = () => chats.filter(({ state }) => state === 'waiting');

  function chat(wish: number): void {
    const ask = `${name}-${chats.length + 1}`;
    const order = orderOf(plan.shape, wish, ask);
    const made: Chat = {
      shape: plan.shape,
      ask,
      reqId: `req_${ask}`,
      order,
      mayQuote: options.mayQuote,
      socket: sockets.pop() ?? {},
      wire: undefined,
      status: 0,
      type: '',
      body: '',
      isSlow: false,
      state: 'waiting',
    };
    chats.push(made);
    const { path, body, headers } = order;
    made.wire = sendTo(
      options,
      { method: 'POST', path, socket: made.socket, body, headers: { ...headers, ...keyHeaders() } },
      {
        onHead(status, head) {
          made.status = status;
          made.type = headerOf(head, 'content-type') ?? '';
        },
        onText(text) {
          made.body += text;
          if (plan.slownessMs > 0) dawdle(made, plan.slownessMs);
        },
        onClosed(how) {
          made.state = 'over';
          if (how !== 'refused') closed(made, how);
          onChange?.();
        },
      },
      made.reqId,
      made.reqId,
    );
  }

  /**
   * OpenAI's clients send a bearer token, Anthropic's a header of their own; all of them send
   * something.
   */
  function keyHeaders(): Record<string, string> {
    const key = tokenOf(plan.badge) ?? 'local';
    return {
      'content-type': 'application/json',
      ...(plan.shape === 'openai' ? { authorization: `Bearer ${key}` } : { 'x-api-key': key }),
    };
  }

  function dawdle(made: Chat, ms: number): void {
    made.isSlow = true;
    made.wire?.dawdle(ms);
  }

  function closed(made: Chat, how: 'ended' | 'cut'): void {
    const { ask, status, wire } = made;
    if (how === 'ended') sockets.push(made.socket);
    if (wire?.cutBy === 'daemon' && !made.isSlow)
      simulation.violate('cut', `${ask} is cut by the daemon though its client reads`);
    if (status === 401 && isKnown(options) && how === 'ended')
      return simulation.violate('close', `${name} is told that it is nobody`);
    if (status === 200 && !isWelcome(plan.badge, options.needsToken))
      return simulation.violate(
        'access',
        `${name} is answered ${ask} with the badge ${plan.badge}`,
      );
    const { read, fault } = judge(made, { ...made, how });
    if (fault) return simulation.violate(...fault);
    simulation.tell(
      name,
      () => `${ask} ${how}, ${read?.end ?? 'unread'} ${read?.failure?.class ?? ''}`,
    );
    if (read?.end === 'whole') whole(made, read);
  }

  function whole(made: Chat, read: ReadAnswer): void {
    const { reqId, ask } = made;
    if (!disk.rows.has(reqId))
      simulation.violate('durable', `${ask} is answered before its record is on disk`);
    options.acknowledged.add(reqId);
    const envelope = http.envelopeOf(reqId);
    if (!envelope) return simulation.violate('facts', `${ask} is answered, and no call was`);
    const isChunked = made.shape === 'openai' && made.order.delivery === 'stream';
    const fault =
      factsFault(made, read, envelope) ??
      (isChunked ? modelsFault(made, made.body, envelope.content as GatewayChatAnswer) : undefined);
    if (fault) simulation.violate(...fault);
  }

  return {
    act(act) {
      const open = waiting();
      if (act.is === 'cancel') open.at(-1 - act.back)?.wire?.cut();
      else if (act.is === 'dawdle') for (const made of open) dawdle(made, act.ms);
    },
    trick(trick) {
      if (trick.is === 'chat') chat(trick.wish);
    },
    finish() {
      return new Promise((resolve) => {
        const tooLong = patiently(simulation, daemonFreeze, PATIENCE_MS, () => {
          const names = waiting().map(({ ask }) => ask);
          simulation.violate('answered', `${name} still waits for ${names.join(' ')}`);
        });
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
