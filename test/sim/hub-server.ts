import { CallError } from '#core/errors/call-error.ts';
import type { LinkHandlers } from '#hub/connection/message-link.ts';
import { isObject, type Members } from '#mcp/json-rpc.ts';
import type { FakeClock } from '../fake-clock.ts';
import type { RpcMessage, ScriptedServer } from '../hub-harness.ts';
import type { HubWatch } from './hub-watch.ts';
import type { SeededRandom } from './random.ts';

export interface HubServerPlan {
  readonly name: string;
  /** One that is well answers every call soon. */
  readonly manner: 'well' | 'ill';
  readonly shared: boolean;
  readonly maxConcurrent: number;
}

export interface HubServer extends Pick<ScriptedServer, 'open'> {
  readonly plan: HubServerPlan;
  /** Gives it other tools, and says so. */
  changeTools(): void;
  /** The names of its tools now. */
  tools(): readonly string[];
  /** Connections that are not closed. */
  connected(): number;
}

interface HubServerWorld {
  readonly clock: FakeClock;
  readonly watch: HubWatch;
  /** A bug: it never hears that a call was cancelled. */
  readonly isDeaf: boolean;
}

interface Work {
  readonly id: number;
  readonly args: Members;
  /** It waits for the client. */
  isAsking?: boolean;
}

const ILL = [
  'answer',
  'answer',
  'answer',
  'slow',
  'never',
  'hang up',
  'lie',
  'twice',
  'error',
  'odd',
  'ask',
  'ask',
  'ask',
] as const;
const SLOW_MS = 4_900;
const QUESTION = { type: 'object', properties: { name: { type: 'string' } } };

/** A server that answers, or lies, hangs, asks and breaks off as the seed says. */
export function createHubServer(
  plan: HubServerPlan,
  random: SeededRandom,
  { clock, watch, isDeaf }: HubServerWorld,
): HubServer {
  const notify = new Set<() => void>();
  const working = new Set<Work>();
  let generation = 0;
  let questions = 0;
  const tools = () => ['work', `tool_${generation}`];
  /** Without an answer yet. */
  const asked = new Map<string, (answer: RpcMessage) => void>();
  const check = () => {
    const count = [...working].filter(({ isAsking }) => !isAsking).length;
    // A question names no call, so the place of another call of the same caller may be given up for it.
    watch.works(plan, count - asked.size);
  };

  return {
    plan,
    tools,
    connected: () => notify.size,
    changeTools() {
      generation += 1;
      for (const each of notify) each();
    },
    open: connect,
  };

  function connect(handlers: LinkHandlers): ReturnType<ScriptedServer['open']> {
    const own = new Map<number, Work>();
    const principals = new Set<unknown>();
    let isOver = false;
    const changed = () => send({ method: 'notifications/tools/list_changed' });
    notify.add(changed);

    function send(message: object): void {
      if (!isOver) handlers.onMessage(structuredClone({ jsonrpc: '2.0', ...message }));
    }

    function end(error: CallError): void {
      if (isOver) return;
      isOver = true;
      notify.delete(changed);
      for (const work of own.values()) working.delete(work);
      handlers.onClose(error);
    }

    function stop(id: number): void {
      const work = own.get(id);
      own.delete(id);
      if (work) working.delete(work);
    }

    function answer({ id, args }: Work): void {
      stop(id);
      const text = JSON.stringify({ n: args['n'], principal: args['principal'] });
      send({ id, result: { content: [{ type: 'text', text }] } });
    }

    function start(id: number, args: Members): void {
      const work: Work = { id, args };
      own.set(id, work);
      working.add(work);
      check();
      principals.add(args['principal']);
      watch.carries(plan, principals);
      const ms = random.between(0, 200);
      const action = plan.manner === 'well' ? 'answer' : random.pick(ILL);
      if (action === 'never') return;
      clock.after(action === 'slow' ? ms + SLOW_MS : ms, () => {
        if (isOver || !own.has(id)) return;
        if (action === 'hang up') end(new CallError('network', 'It hung up.'));
        else if (action === 'ask') ask(work);
        else if (action === 'error' || action === 'odd') {
          stop(id);
          const refusal = { error: { code: -32_000, message: 'It refuses.' } };
          send({ id, ...(action === 'error' ? refusal : { result: { content: 'text' } }) });
        } else {
          if (action === 'lie') answer({ id: id + 1_000_000, args: {} });
          answer(work);
          if (action === 'twice') answer({ id, args: {} });
        }
      });
    }

    function ask(work: Work): void {
      const { args } = work;
      questions += 1;
      work.isAsking = true;
      asked.set(`q${questions}`, ({ result }) => {
        if (!working.has(work)) return;
        work.isAsking = false;
        check();
        const content = isObject(result) ? result['content'] : undefined;
        if (isObject(content)) watch.answeredBy(args['principal'], content['name']);
        answer(work);
      });
      const message = `Whose is it? [${String(args['principal'])}]`;
      const params = { message, requestedSchema: QUESTION };
      send({ id: `q${questions}`, method: 'elicitation/create', params });
    }

    function initialize(id: number): void {
      if (plan.manner === 'ill' && random.chance(0.1)) return;
      if (plan.manner === 'ill' && random.chance(0.1)) {
        return end(new CallError('network', 'It does not start.'));
      }
      const capabilities = { tools: { listChanged: true } };
      const serverInfo = { name: plan.name, version: '1' };
      send({ id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo } });
    }

    function onMessage(message: RpcMessage): void {
      const { id, method, params = {} } = message;
      if (method === undefined) {
        const waiting = asked.get(String(id));
        asked.delete(String(id));
        waiting?.(message);
      } else if (method === 'notifications/cancelled') {
        if (!isDeaf) stop(Number(params['requestId']));
      } else if (typeof id !== 'number') return;
      else if (method === 'initialize') initialize(id);
      else if (method === 'tools/list') {
        const listed = tools().map((name) => ({ name, inputSchema: { type: 'object' } }));
        send({ id, result: { tools: listed } });
      } else if (method === 'tools/call') {
        start(id, isObject(params['arguments']) ? params['arguments'] : {});
      }
    }

    return {
      unsentBytes: 0,
      send(json) {
        const message = JSON.parse(json) as RpcMessage;
        queueMicrotask(() => {
          if (!isOver) onMessage(message);
        });
      },
      async close() {
        end(new CallError('interrupted', 'It was stopped.'));
      },
    };
  }
}
