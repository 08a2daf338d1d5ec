import { reason, type Reason } from '#core/messages/reasons.ts';
import type { RouteFacts } from '#core/llm/route.ts';
import { toolKind } from '../tool-sets.ts';
import { roleCandidates } from './role-candidates.ts';
import { doesNotApply, applies, type Rule } from './rule.ts';

export const deepTool: Rule = {
  number: 9,
  id: 'deep-tool',
  when: 'the tool thinks deeply: thinkdeep, consensus, docgen, secaudit',
  route: '`KIMI_QUALITY_MODEL`',
  applies: ({ facts }) =>
    toolKind(facts.tool) === 'deep'
      ? applies(reason('deep_tool', { tool: facts.tool }))
      : doesNotApply(reason('not_deep_tool')),
  candidates: (context) => roleCandidates(context, 'kimiQuality'),
};

/** Why a step needs the best model; undefined when a quick one is enough. */
function decisive({ tool, step }: RouteFacts): Reason | undefined {
  if (step?.depth === 'deep') return reason('depth_is_deep');
  if (!step || step.more === 'unknown') return reason('step_unknown');
  if (step.more === 'no') return reason('last_step');
  const isLater = tool === 'analyze' && step.number !== 1;
  return isLater ? reason('analyze_after_first_step') : undefined;
}

export const decisiveStep: Rule = {
  number: 10,
  id: 'decisive-step',
  when: 'a workflow tool with `depth: deep`, at its last step, or at an unknown one; analyze after its first',
  route: '`KIMI_QUALITY_MODEL`',
  applies({ facts }) {
    if (toolKind(facts.tool) !== 'workflow') return doesNotApply(reason('not_workflow_tool'));
    const why = decisive(facts);
    return why === undefined
      ? doesNotApply(reason('more_steps_follow'))
      : applies(reason('decisive_step', { tool: facts.tool, reason: why }));
  },
  candidates: (context) => roleCandidates(context, 'kimiQuality'),
};

export const earlyStep: Rule = {
  number: 11,
  id: 'early-step',
  when: 'a workflow tool with more steps to come',
  route: '`GLM_SPEED_MODEL`',
  applies({ facts }) {
    if (toolKind(facts.tool) !== 'workflow') return doesNotApply(reason('not_workflow_tool'));
    const why = decisive(facts);
    return why === undefined
      ? applies(reason('early_step', { tool: facts.tool }))
      : doesNotApply(why);
  },
  candidates: (context) => roleCandidates(context, 'glmSpeed'),
};

export const simpleTool: Rule = {
  number: 12,
  id: 'simple-tool',
  when: 'a simple tool: chat, status, listmodels and the like',
  route: '`GLM_SPEED_MODEL`',
  applies: ({ facts }) =>
    toolKind(facts.tool) === 'simple'
      ? applies(reason('simple_tool', { tool: facts.tool }))
      : doesNotApply(reason('not_simple_tool')),
  candidates: (context) => roleCandidates(context, 'glmSpeed'),
};
