import type { RouteFacts } from '#core/route.ts';
import { toolKind } from '../tool-sets.ts';
import { ofRole } from './of-role.ts';
import { no, yes, type Rule } from './rule.ts';

export const deepTool: Rule = {
  number: 9,
  id: 'deep-tool',
  when: 'the tool thinks deeply: thinkdeep, consensus, docgen, secaudit',
  route: '`KIMI_QUALITY_MODEL`',
  applies: ({ facts }) =>
    toolKind(facts.tool) === 'deep'
      ? yes(`${facts.tool} thinks deeply`)
      : no('the tool is none of the deep ones'),
  wants: (situation) => ofRole(situation, 'kimiQuality'),
};

/** Why a step wants the best model; nothing when a quick one will do. */
function decisive({ tool, step }: RouteFacts): string | undefined {
  if (step?.depth === 'deep') return 'depth is deep';
  if (!step || step.more === 'unknown') return 'nobody says which step it is';
  if (step.more === 'no') return 'it is the last step';
  if (tool === 'analyze' && step.number !== 1) return 'analyze is quick in its first step only';
  return undefined;
}

export const decisiveStep: Rule = {
  number: 10,
  id: 'decisive-step',
  when: 'a workflow tool with `depth: deep`, at its last step, or at an unknown one; analyze after its first',
  route: '`KIMI_QUALITY_MODEL`',
  applies({ facts }) {
    if (toolKind(facts.tool) !== 'workflow') return no('the tool does not work in steps');
    const reason = decisive(facts);
    return reason === undefined
      ? no('more steps are to come')
      : yes(`${facts.tool} works in steps and ${reason}`);
  },
  wants: (situation) => ofRole(situation, 'kimiQuality'),
};

export const earlyStep: Rule = {
  number: 11,
  id: 'early-step',
  when: 'a workflow tool with more steps to come',
  route: '`GLM_SPEED_MODEL`',
  applies({ facts }) {
    if (toolKind(facts.tool) !== 'workflow') return no('the tool does not work in steps');
    const reason = decisive(facts);
    return reason === undefined ? yes(`${facts.tool} has more steps to come`) : no(reason);
  },
  wants: (situation) => ofRole(situation, 'glmSpeed'),
};

export const simpleTool: Rule = {
  number: 12,
  id: 'simple-tool',
  when: 'a simple tool: chat, status, listmodels and the like',
  route: '`GLM_SPEED_MODEL`',
  applies: ({ facts }) =>
    toolKind(facts.tool) === 'simple'
      ? yes(`${facts.tool} is a simple tool`)
      : no('the tool is none of the simple ones'),
  wants: (situation) => ofRole(situation, 'glmSpeed'),
};
