import { explicitModel, lockedModel } from './requested-model.ts';
import {
  agenticWork,
  fileQuestion,
  kimiTool,
  longContext,
  mediaInput,
  webQuestion,
} from './content.ts';
import { cjkText, intelligentSelection, speedOrCost, anyAvailable } from './preference.ts';
import type { Rule } from './rule.ts';
import { decisiveStep, deepTool, earlyStep, simpleTool } from './steps.ts';

/** The routing rules in order: the first that applies and finds an eligible model wins. */
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
  anyAvailable,
];
