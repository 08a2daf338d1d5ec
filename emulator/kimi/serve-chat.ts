import type { Ask, Headers, Reply } from '../vendor.ts';
import { checkAccount, type Account } from './account.ts';
import { answerChat } from './answer-chat.ts';
import { enter, rateHeaders } from './limits.ts';
import { planChat } from './plan-chat.ts';
import type { KimiState } from './state.ts';
import { writeJson, writeStream, type ChatToWrite, type ChatUsage } from './write-chat.ts';

export async function serveChat(
  ask: Ask,
  reply: Reply,
  account: Account,
  headers: Headers,
  state: KimiState,
): Promise<void> {
  checkAccount(account);
  const json = state.caches.expand(ask, account.uid, state.switches);
  const plan = planChat(json.body, account, state);
  const nowMs = ask.now();
  let leave: () => void;
  try {
    leave = enter(account, state.switches, plan.promptTokens, nowMs);
  } finally {
    Object.assign(headers, rateHeaders(account, state.switches, nowMs));
  }
  try {
    const cachedTokens = state.prefixes.use({
      owner: `${account.uid} ${plan.cacheKey}`,
      text: plan.cacheText,
      tokens: plan.promptTokens,
      ttlMs: plan.cacheTtlMs,
      nowMs,
    });
    const answers = Array.from({ length: plan.answers }, () => answerChat(plan, ask.fault, state));
    const usage: ChatUsage = {
      promptTokens: plan.promptTokens,
      cachedTokens: Math.max(cachedTokens, Math.min(json.savedTokens, plan.promptTokens)),
      completionTokens: answers.reduce((sum, answer) => sum + answer.completionTokens, 0),
      reasoningTokens: answers.reduce((sum, answer) => sum + answer.reasoningTokens, 0),
    };
    charge(account, plan.model.price, usage);
    const chat: ChatToWrite = {
      plan,
      answers,
      usage,
      created: Math.floor(nowMs / 1_000),
      headers: json.savedTokens === 0 ? headers : { ...headers, ...json.headers },
      fault: ask.fault,
    };
    if (plan.stream === 'no') await writeJson(reply, chat, state);
    else await writeStream(reply, chat, state);
  } finally {
    leave();
  }
}

function charge(
  account: Account,
  [hit, miss, out]: readonly [number, number, number],
  usage: ChatUsage,
): void {
  const { promptTokens, cachedTokens, completionTokens } = usage;
  account.cash -=
    (cachedTokens * hit + (promptTokens - cachedTokens) * miss + completionTokens * out) / 1e6;
}
