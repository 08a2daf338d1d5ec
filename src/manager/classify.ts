import type { Intent } from '#core/ask.ts';
import type { RequestClass, RouteFacts } from '#core/route.ts';
import { isChatLike, toolKind } from './tool-sets.ts';

/** What a request was taken for, and how sure that is. */
export interface Classified {
  readonly class: RequestClass;
  /** 0 to 1. */
  readonly confidence: number;
  readonly because: string;
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
    return {
      class: 'long_context',
      confidence: SURE,
      because: `it has about ${count(tokens)} tokens`,
    };
  }
  if (isFileQuestion(facts)) {
    return { class: 'file_qa', confidence: SURE, because: `it is about ${fileWords(files)}` };
  }
  if (images + videos > 0) {
    return { class: 'vision', confidence: SURE, because: 'it brings pictures or videos along' };
  }
  if (isChatLike(tool) && facts.search === 'on') {
    return { class: 'web', confidence: SURE, because: 'a search of the web is asked for' };
  }
  if (isChatLike(tool) && facts.search === 'auto' && fresh?.strength === 'strong') {
    return {
      class: 'web',
      confidence: LIKELY,
      because: `it asks for what is new (“${fresh.words}”)`,
    };
  }
  if (tools > 0 || toolKind(tool) === 'agent') {
    const because = tools > 0 ? 'tools are given to call' : 'an agent asks';
    return { class: 'agentic', confidence: SURE, because };
  }
  return doubted(facts, codeOrChat(tool, hasCode, files.count));
}

function codeOrChat(tool: string, hasCode: RouteFacts['hasCode'], fileCount: number): Classified {
  const kind = toolKind(tool);
  if (kind === 'workflow' || kind === 'deep') {
    return { class: 'code', confidence: SURE, because: `${tool} is a tool for thorough work` };
  }
  if (hasCode === 'yes')
    return { class: 'code', confidence: LIKELY, because: 'there is code in it' };
  const confidence = fileCount > 0 ? PROBABLE : LIKELY;
  return { class: 'chat', confidence, because: 'it is a plain question' };
}

/** Words that may or may not ask for news make a question of its own unclear. */
function doubted({ tool, search, fresh }: RouteFacts, found: Classified): Classified {
  if (!isChatLike(tool) || search !== 'auto' || fresh?.strength !== 'weak') return found;
  const because = `${found.because}, but “${fresh.words}” may ask for news`;
  return { class: found.class, confidence: UNSURE, because };
}

/** The class with what the manager's model made of the request, when that is surer and can be true. */
export function settleClass(facts: RouteFacts, intent: Intent | undefined): Classified {
  const found = classify(facts);
  if (!intent || !(intent.confidence > found.confidence) || !isPossible(intent, facts))
    return found;
  return {
    class: intent.class,
    confidence: Math.min(1, intent.confidence),
    because: intent.because === '' ? `the manager's model says so` : intent.because,
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

function fileWords({ count: files, documents, scans }: RouteFacts['files']): string {
  if (scans > 0) return scans === 1 ? 'a scan' : `${scans} scans`;
  if (files > 1) return `${files} files`;
  return documents === 1 ? 'a document' : `${documents} documents`;
}

function count(tokens: number): string {
  return Math.round(tokens).toLocaleString('en');
}
