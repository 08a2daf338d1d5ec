import * as z from 'zod';
import type { AskContext, AskRequest, Manager } from '#core/llm/ask.ts';
import { CallError } from '#core/errors/call-error.ts';
import type { Call } from '#core/calls/call.ts';
import { defineTool } from '#core/tools/define-tool.schema.ts';
import { fix } from '#core/messages/fixes.ts';
import type { Notice } from '#core/messages/notices.ts';
import { baseRenderer } from '#core/messages/render.ts';
import { oneLine } from '#core/text/text.ts';
import type { RouteExplanation } from '#core/llm/route.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import * as fields from './shared/fields.ts';
import { readAskRequest } from './shared/read-ask-request.ts';
import { readToolChoice, toolChoiceField } from './shared/tool-choice.ts';
import { isMachineOwner } from './reporting/visibility.ts';

export interface PayloadPreviewDeps {
  readonly manager: Pick<Manager, 'explain'>;
  readonly modelDirectory: Pick<ModelDirectory, 'models'>;
}

const NAME = 'glm_payload_preview';
/** The role whose model answers most requests to GLM. */
const USUAL_ROLE = 'glmSpeed';

/** Shows the request that GLM would get, without sending it. */
export function glmPayloadPreview({ manager, modelDirectory }: PayloadPreviewDeps): Tool {
  return defineTool({
    name: NAME,
    title: 'GLM payload preview',
    description:
      'The request that GLM would be sent for a bare prompt with these arguments, without sending it; chat adds its own words, files and history (exai explain --payload). Asks no model.',
    input: z.strictObject({
      prompt: fields.promptField,
      model: fields.modelField.optional(),
      temperature: fields.temperatureField.optional(),
      system_prompt: fields.systemPromptField.optional(),
      use_websearch: fields.webSearchField.default(false),
      tools: fields.toolsField.optional(),
      tool_choice: toolChoiceField.optional(),
    }),
    output: z.strictObject({
      model: z.string(),
      url: z.string().optional(),
      body: z.record(z.string(), z.unknown()),
      notices: z.array(z.string()),
    }),
    effect: 'reads',
    affinity: 'glm',
    tier: 'backend',
    profile: 'full',
    async run(args, context) {
      const { tool_choice: choice, ...rest } = args;
      const model = modelOf(args.model, modelDirectory);
      const request: AskRequest = {
        ...readAskRequest(rest),
        ...(choice !== undefined && { toolChoice: readToolChoice(choice) }),
        model,
        // Only GLM is previewed, so there is no fallback.
        fallback: 'none',
        lastResort: 'none',
      };
      const explanation = await manager.explain(request, askedBy(context), 'with_payload');
      const { payload, notices, model: sentModel } = previewOf(explanation, model);
      const url = isMachineOwner(context.caller) ? payload.url : undefined;
      const shown = [...explanation.context, ...notices].map((each) => baseRenderer.notice(each));
      return {
        text: [
          url === undefined ? 'POST' : `POST ${url}`,
          JSON.stringify(payload.body, null, 2),
          ...shown,
        ].join('\n'),
        content: {
          model: sentModel,
          ...(url !== undefined && { url }),
          body: payload.body,
          notices: shown,
        },
      };
    },
  });
}

function askedBy({ reqId, caller, deadline, signal }: Call): AskContext {
  return {
    reqId,
    tool: NAME,
    caller,
    deadline,
    signal,
    category: 'fast_response',
    affinity: 'glm',
    // Explaining sends nothing, so there is no second attempt.
    nextAttempt: () => 1,
  };
}

function modelOf(
  given: string | undefined,
  modelDirectory: PayloadPreviewDeps['modelDirectory'],
): string {
  const name = given?.trim() ?? '';
  if (name !== '' && name.toLowerCase() !== 'auto') return name;
  const ours = modelDirectory.models().filter(({ model }) => model.provider === 'glm');
  const usual = ours.find(({ roles }) => roles.includes(USUAL_ROLE));
  const found = usual ?? ours.find(({ isUsable }) => isUsable) ?? ours[0];
  if (found) return found.model.id;
  throw new CallError('not_configured', 'There is no model of GLM here.', {
    field: 'model',
    fixes: [fix('set_argument', { argument: 'model' }), fix('list_models')],
  });
}

interface Preview {
  readonly payload: NonNullable<RouteExplanation['payload']>;
  readonly notices: readonly Notice[];
  /** The resolved model, such as the successor of a retired one. */
  readonly model: string;
}

function previewOf({ plan, error, payload, noPayload }: RouteExplanation, model: string): Preview {
  if (error) throw CallError.fromJSON(error);
  const [first] = plan?.candidates ?? [];
  const provider = first?.provider;
  if (provider !== undefined && provider !== 'glm') {
    const shown = oneLine(model, 64);
    throw new CallError('validation', `${shown} is a model of ${provider}, not of GLM.`, {
      field: 'model',
      fixes: [fix('preview_request'), 'Or name a model of GLM.'],
    });
  }
  if (!payload) throw new CallError('validation', noPayload ?? 'There is nothing to be sent.');
  return { payload, notices: plan?.notices ?? [], model: first?.model ?? model };
}
