import type { Intent } from '#core/ask.ts';
import { reason, type Reason } from '#core/messages/reasons.ts';
import type { RequestClass, RouteFacts } from '#core/route.ts';
import { isChatLike, toolKind } from './tool-sets.ts';

/** What a request was taken for, and how sure that is. */
export interface Classified {
  readonly class: RequestClass;
  /** 0 to 1. */
  readonly confidence: number;
  readonly reason: Reason;
}

/** More than this goes to the models with the long windows. */
export const LONG_CONTEXT_TOKENS = 128_000;
/** Below it a small model is asked what the request is. */
export const UNSURE_BELOW = 0.6;

const SURE = 1;
const LIKELY = 0.8;
const PROBABLE = 0.7;
const UNSURE = 0.5;

/** By what can be seen of the request, in the order in which the rules look at it. */
export function classify(facts: RouteFacts): Classified {
  const { tokens, files, images, videos, tools, tool, fresh, hasCode } = facts;
  if (tokens > LONG_CONTEXT_TOKENS) {
    return { class: 'long_context', confidence: SURE, reason: reason('prompt_tokens', { tokens }) };
  }
  if (isFileQuestion(facts)) {
    const { count, documents, scans } = files;
    const about = reason('about_files', { files: count, documents, scans });
    return { class: 'file_qa', confidence: SURE, reason: about };
  }
  if (images + videos > 0) {
    return { class: 'vision', confidence: SURE, reason: reason('has_media') };
  }
  if (isChatLike(tool) && facts.search === 'on') {
    return { class: 'web', confidence: SURE, reason: reason('search_requested') };
  }
  if (isChatLike(tool) && facts.search === 'auto' && fresh?.strength === 'strong') {
    const { words } = fresh;
    return { class: 'web', confidence: LIKELY, reason: reason('asks_for_news', { words }) };
  }
  if (tools > 0 || toolKind(tool) === 'agent') {
    const why = tools > 0 ? reason('tools_given', { tools }) : reason('agent_request');
    return { class: 'agentic', confidence: SURE, reason: why };
  }
  return doubted(facts, codeOrChat(tool, hasCode, files.count));
}

function codeOrChat(tool: string, hasCode: RouteFacts['hasCode'], fileCount: number): Classified {
  const kind = toolKind(tool);
  if (kind === 'workflow' || kind === 'deep') {
    return { class: 'code', confidence: SURE, reason: reason('thorough_tool', { tool }) };
  }
  if (hasCode === 'yes') return { class: 'code', confidence: LIKELY, reason: reason('has_code') };
  const confidence = fileCount > 0 ? PROBABLE : LIKELY;
  return { class: 'chat', confidence, reason: reason('plain_question') };
}

/** Words that may or may not ask for news make a question of its own unclear. */
function doubted({ tool, search, fresh }: RouteFacts, found: Classified): Classified {
  if (!isChatLike(tool) || search !== 'auto' || fresh?.strength !== 'weak') return found;
  const why = reason('may_ask_for_news', { reason: found.reason, words: fresh.words });
  return { class: found.class, confidence: UNSURE, reason: why };
}

/** The class with what the manager's model made of the request, when that is surer and can be true. */
export function settleClass(facts: RouteFacts, intent: Intent | undefined): Classified {
  const found = classify(facts);
  if (!intent || !(intent.confidence > found.confidence) || !isPossible(intent, facts))
    return found;
  return {
    class: intent.class,
    confidence: Math.min(1, intent.confidence),
    reason: intent.reason,
  };
}

/** A model may say what a request means, not what is in it. */
function isPossible(intent: Intent, facts: RouteFacts): boolean {
  switch (intent.class) {
    case 'chat':
    case 'code':
      return true;
    case 'web':
      return facts.search !== 'off' && isChatLike(facts.tool);
    case 'file_qa':
      return facts.files.count > 0;
    case 'agentic':
    case 'vision':
    case 'long_context':
      return false;
  }
}

/** Documents, scans, or two files and more. */
function isFileQuestion({ files }: RouteFacts): boolean {
  return files.documents > 0 || files.scans > 0 || files.count > 1;
}
