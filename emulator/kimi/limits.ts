import type { Headers } from '../vendor.ts';
import type { Account } from './account.ts';
import { rateLimited } from './errors.ts';
import type { KimiSwitches } from './switches.ts';

interface Limits {
  readonly concurrency: number;
  readonly rpm: number;
  readonly tpm: number;
  readonly tpd: number;
}

/** The tiers of 2026 where they are known, the steps of 2025 between them. */
const TIERS: Readonly<Record<string, Limits>> = {
  T0: { concurrency: 1, rpm: 3, tpm: 500_000, tpd: 1_500_000 },
  T1: { concurrency: 50, rpm: 200, tpm: 2_000_000, tpd: Infinity },
  T2: { concurrency: 100, rpm: 500, tpm: 3_000_000, tpd: Infinity },
  T3: { concurrency: 200, rpm: 5_000, tpm: 3_000_000, tpd: Infinity },
  T4: { concurrency: 400, rpm: 5_000, tpm: 4_000_000, tpd: Infinity },
  T5: { concurrency: 1_000, rpm: 10_000, tpm: 5_000_000, tpd: Infinity },
};

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The headers of the vendor's help page (kimi.com/help/kimi-api/api-rate-limits), after counting. */
export function rateHeaders(account: Account, switches: KimiSwitches, nowMs: number): Headers {
  const limits = TIERS[account.tier ?? switches.tier];
  if (limits === undefined) return {};
  const { minute } = account;
  const resetMs = Math.max(0, minute.startMs + MINUTE_MS - nowMs);
  return {
    'X-RateLimit-Limit': String(limits.rpm),
    'X-RateLimit-Remaining': String(Math.max(0, limits.rpm - minute.requests)),
    'X-RateLimit-Reset': String(Math.ceil(resetMs / 1_000)),
  };
}

/**
 * Lets a request of that many tokens in, or throws the 429 of the limit in its way. What was let in
 * calls back when it ends.
 */
export function enter(
  account: Account,
  switches: KimiSwitches,
  tokens: number,
  nowMs: number,
): () => void {
  const limits = TIERS[account.tier ?? switches.tier];
  account.running += 1;
  let isIn = true;
  const leave = (): void => {
    if (isIn) account.running -= 1;
    isIn = false;
  };
  if (limits === undefined) return leave;
  try {
    count(account, limits, tokens, nowMs);
  } catch (error) {
    leave();
    throw error;
  }
  return leave;
}

function count(account: Account, limits: Limits, tokens: number, nowMs: number): void {
  const { minute, day, shown } = account;
  if (nowMs - minute.startMs >= MINUTE_MS)
    Object.assign(minute, { startMs: nowMs, requests: 0, tokens: 0 });
  if (nowMs - day.startMs >= DAY_MS) Object.assign(day, { startMs: nowMs, tokens: 0 });
  const secondsLeft = Math.max(1, Math.ceil((minute.startMs + MINUTE_MS - nowMs) / 1_000));
  if (account.running > limits.concurrency)
    throw rateLimited(
      `Your account ${shown} request reached max organization concurrency: ${limits.concurrency}, please try again after 1 seconds`,
      1,
    );
  if (minute.requests >= limits.rpm)
    throw rateLimited(
      `Your account ${shown} request reached organization max RPM: ${limits.rpm}, please try again after ${secondsLeft} seconds`,
      secondsLeft,
    );
  if (minute.tokens + tokens > limits.tpm)
    throw rateLimited(
      `Your account ${shown} request reached TPM rate limit, current:${minute.tokens + tokens}, limit:${limits.tpm}`,
      secondsLeft,
    );
  if (day.tokens + tokens > limits.tpd)
    throw rateLimited(
      `Your account ${shown} request reached TPD rate limit, current:${day.tokens + tokens}, limit:${limits.tpd}`,
      Math.ceil((day.startMs + DAY_MS - nowMs) / 1_000),
    );
  minute.requests += 1;
  minute.tokens += tokens;
  day.tokens += tokens;
}
