import { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { ChatEvent, ChatRequest } from '#core/llm/chat.ts';
import type { Provider, ProviderContext } from '#core/llm/provider.ts';
import type { Http } from '#core/net/http.ts';
import type { Clock } from '#core/time/clock.ts';
import { observeRemaining } from './rate-headers.ts';

/** Errors of a key or its account, after which another key may answer; the mildest first. */
const KEY_ERRORS: readonly ErrorClass[] = ['rate_limit', 'quota', 'billing', 'permission', 'auth'];

/** How long a key is not used after such an error that names no time. */
const COOL_DOWN_MS = 60_000;
const RATE_LIMIT_MS = 5_000;
const MAX_COOL_DOWN_MS = 10 * 60_000;

interface Member {
  readonly provider: Provider;
  /** Requests under way. */
  running: number;
  /** Times it was picked, so that equal keys take turns. */
  picked: number;
  /** Not used before this time, unless no key is usable. */
  usableAt: number;
  /** Requests that the vendor still allows, if it says so; without those under way. */
  remaining: number | undefined;
}

export interface KeyPoolOptions {
  readonly clock: Clock;
  readonly http: Http;
  /** At least one; the first is used for everything but chats and embeddings. */
  readonly keys: readonly [string, ...string[]];
  /** Creates the provider with one of the keys. */
  readonly create: (key: string, http: Http) => Provider;
}

/**
 * One provider over several keys. A request goes to the key that works, has most requests left and
 * has fewest under way; if the key is refused before anything was answered, the next one is tried.
 */
export function createKeyPool({ clock, http, keys, create }: KeyPoolOptions): Provider {
  const members = keys.map((key) => {
    const observed = observeRemaining(http, (requests) => (member.remaining = requests));
    const member: Member = {
      provider: create(key, observed),
      running: 0,
      picked: 0,
      usableAt: 0,
      remaining: undefined,
    };
    return member;
  });
  // Files and balances belong to the account of one key.
  const [first] = members as [Member, ...Member[]];
  if (members.length === 1) return first.provider;

  function pick(tried: ReadonlySet<Member>): Member | undefined {
    const now = clock.monotonic();
    const left = (member: Member) => (member.remaining ?? Infinity) - member.running;
    const order = (one: Member, other: Member) =>
      Math.max(0, one.usableAt - now) - Math.max(0, other.usableAt - now) ||
      Number(left(one) <= 0) - Number(left(other) <= 0) ||
      one.running - other.running ||
      (left(one) === left(other) ? 0 : left(other) - left(one)) ||
      one.picked - other.picked;
    return members.filter((member) => !tried.has(member)).toSorted(order)[0];
  }

  function rest(member: Member, { class: errorClass, retryAfterMs }: CallError): void {
    const usual = errorClass === 'rate_limit' ? RATE_LIMIT_MS : COOL_DOWN_MS;
    const ms = Math.min(retryAfterMs ?? usual, MAX_COOL_DOWN_MS);
    member.usableAt = clock.monotonic() + ms;
    member.remaining = undefined;
  }

  /** Uses keys until one answers. What precedes the answer is held back until it begins. */
  async function* withKey<T>(
    context: ProviderContext,
    run: (provider: Provider) => AsyncIterable<T>,
    isAnswer: (item: T) => boolean,
  ): AsyncGenerator<T> {
    const tried = new Set<Member>();
    const errors: CallError[] = [];
    for (let member = pick(tried); member; member = pick(tried)) {
      tried.add(member);
      member.running += 1;
      member.picked += 1;
      let hasAnswered = false;
      const held: T[] = [];
      try {
        for await (const item of run(member.provider)) {
          hasAnswered ||= isAnswer(item);
          if (!hasAnswered) held.push(item);
          else {
            yield* held.splice(0);
            yield item;
          }
        }
        yield* held;
        return;
      } catch (thrown) {
        const error = CallError.from(thrown);
        const isOfKey = KEY_ERRORS.includes(error.class);
        if (isOfKey) rest(member, error);
        if (hasAnswered || !isOfKey || context.signal.aborted) throw error;
        errors.push(error);
      } finally {
        member.running -= 1;
      }
    }
    throw mildest(errors);
  }

  const chat = (request: ChatRequest, context: ProviderContext) =>
    withKey<ChatEvent>(
      context,
      (provider) => provider.chat(request, context),
      ({ type }) => type !== 'notice',
    );
  return {
    ...first.provider,
    chat,
    ...(first.provider.embed && {
      async embed(input, context) {
        const run = async function* (provider: Provider) {
          if (provider.embed) yield await provider.embed(input, context);
        };
        for await (const answer of withKey(context, run, () => true)) return answer;
        throw mildest([]);
      },
    }),
    ...(first.provider.tryModel && {
      async tryModel(model, context) {
        const run = async function* (provider: Provider) {
          if (provider.tryModel) yield await provider.tryModel(model, context);
        };
        for await (const answer of withKey(context, run, () => true)) return answer;
        throw mildest([]);
      },
    }),
    async check(context) {
      const checks = members.map(({ provider }) => provider.check(context));
      return describeChecks(await Promise.allSettled(checks));
    },
  };
}

/** Says which keys work; throws if none does. A key is named by its place, as it is secret. */
function describeChecks(checks: readonly PromiseSettledResult<string>[]): string {
  const works = checks.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failures = checks.flatMap((each, at) =>
    each.status === 'rejected' ? [{ at, error: CallError.from(each.reason) }] : [],
  );
  const [first] = works;
  if (first === undefined) throw mildest(failures.map(({ error }) => error));
  if (failures.length === 0) return `${first}; ${works.length} keys`;
  const refused = failures.map(({ at, error }) => `key ${at + 1} fails (${error.class})`);
  return `${first}; ${works.length} of ${checks.length} keys work, ${refused.join(', ')}`;
}

/** The error that says most about the account as a whole: a wait before a refusal. */
function mildest(errors: readonly CallError[]): CallError {
  const rank = ({ class: errorClass }: CallError) => KEY_ERRORS.indexOf(errorClass);
  const [found] = errors.toSorted((one, other) => rank(one) - rank(other));
  return found ?? new CallError('not_configured', 'There is no key.');
}
