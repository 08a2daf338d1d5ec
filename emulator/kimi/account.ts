import { createHash } from 'node:crypto';
import type { Headers } from '../vendor.ts';
import { noBalance, overloaded, Refusal } from './errors.ts';
import type { KimiPlan } from './models.ts';
import type { KimiSwitches } from './switches.ts';

/** Who a key belongs to, with all that the vendor remembers of them. */
export interface Account {
  readonly uid: string;
  /** How the vendor speaks of an account in its messages. */
  readonly shown: string;
  readonly trouble: Trouble | undefined;
  /** `undefined` where the switch decides. */
  readonly tier: string | undefined;
  cash: number;
  voucher: number;
  running: number;
  minute: { startMs: number; requests: number; tokens: number };
  day: { startMs: number; tokens: number };
}

type Trouble = 'poor' | 'quota' | 'inactive' | 'denied' | 'busy';

const TROUBLES: readonly Trouble[] = ['poor', 'quota', 'inactive', 'denied', 'busy'];
const MAX_ACCOUNTS = 1_000;

export interface Accounts {
  /** Throws the 401 of a key that opens nothing here. */
  open(headers: Headers): Account;
  clear(): void;
}

/**
 * Keys: any `sk-…` opens a separate account. `sk-wrong…` opens none, `sk-kimi-…` only the coding
 * plan, `sk-cn-…` only the other host. `sk-poor…`, `sk-quota…`, `sk-inactive…`, `sk-denied…` and
 * `sk-busy…` open one in trouble, `sk-tier0…` to `sk-tier5…` one with the limits of that tier.
 */
export function createAccounts(switches: KimiSwitches, plan: KimiPlan): Accounts {
  const accounts = new Map<string, Account>();
  return {
    open({ authorization = '' }) {
      const key = /^Bearer\s+(\S+)$/i.exec(authorization)?.[1];
      const known = key === undefined ? undefined : accounts.get(key);
      if (key === undefined || !isOpen(key, switches, plan)) throw unauthorised(switches);
      if (known !== undefined) return known;
      const account = create(key, switches.startBalance);
      accounts.set(key, account);
      const oldest = accounts.size > MAX_ACCOUNTS ? accounts.keys().next().value : undefined;
      if (oldest !== undefined) accounts.delete(oldest);
      return account;
    },
    clear() {
      accounts.clear();
    },
  };
}

function isOpen(key: string, switches: KimiSwitches, plan: KimiPlan): boolean {
  if (plan === 'coding') return key.startsWith('sk-kimi-');
  if (!key.startsWith('sk-') || key.startsWith('sk-wrong') || key.startsWith('sk-kimi-'))
    return false;
  return key.startsWith('sk-cn-') === (switches.host === 'cn');
}

export function unauthorised(switches: KimiSwitches): Refusal {
  const message =
    switches.authError === 'incorrect_api_key_error'
      ? 'Incorrect API key provided'
      : 'Invalid Authentication';
  return new Refusal(401, switches.authError, message);
}

function create(key: string, balance: number): Account {
  const digest = createHash('sha256').update(key).digest('hex');
  const uid = `org-${digest.slice(0, 20)}`;
  const trouble = TROUBLES.find((one) => key.startsWith(`sk-${one}`));
  const tier = /^sk-tier([0-5])/.exec(key)?.[1];
  return {
    uid,
    shown: `${uid}<ak-${digest.slice(20, 40)}>`,
    trouble,
    tier: tier === undefined ? undefined : `T${tier}`,
    cash: trouble === 'poor' ? -0.42 : balance,
    voucher: 0,
    running: 0,
    minute: { startMs: 0, requests: 0, tokens: 0 },
    day: { startMs: 0, tokens: 0 },
  };
}

/** What stands between an account and an answer, apart from its limits. */
export function checkAccount(account: Account): void {
  switch (account.trouble) {
    case 'quota':
      throw new Refusal(
        429,
        'exceeded_current_quota_error',
        'You exceeded your current token quota: 0, please check your account balance',
      );
    case 'inactive':
      throw new Refusal(
        403,
        'exceeded_current_quota_error',
        `Your account ${account.shown} is not active, current state: suspended, please contact your administrator`,
      );
    case 'denied':
      throw new Refusal(403, 'permission_denied_error', 'The API you are accessing is not open');
    case 'busy':
      throw overloaded();
    case 'poor':
    case undefined:
      if (account.cash + account.voucher <= 0) throw noBalance();
  }
}

export function showBalance({ cash, voucher }: Account): object {
  const round = (value: number): number => Math.round(value * 1e5) / 1e5;
  return {
    code: 0,
    data: {
      available_balance: round(Math.max(0, cash) + voucher),
      voucher_balance: round(voucher),
      cash_balance: round(cash),
    },
    scode: '0x0',
    status: true,
  };
}
