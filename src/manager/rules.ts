import { explicitModel, lockedModel } from './rules/named.ts';
import { agenticWork, kimiTool, longContext, mediaInput, webQuestion } from './rules/content.ts';
import { fileQuestion } from './rules/file-question.ts';
import { cjkText, intelligentSelection, speedOrCost, whoeverCan } from './rules/preference.ts';
import type { Rule } from './rules/rule.ts';
import { decisiveStep, deepTool, earlyStep, simpleTool } from './rules/steps.ts';

/** In the order of decision: the first that is about the request and finds somebody who can wins. */
export const RULES: readonly Rule[] = [
  explicitModel,
  lockedModel,
  kimiTool,
  longContext,
  fileQuestion,
  mediaInput,
  webQuestion,
  agenticWork,
  deepTool,
  decisiveStep,
  earlyStep,
  simpleTool,
  intelligentSelection,
  cjkText,
  speedOrCost,
  whoeverCan,
];
