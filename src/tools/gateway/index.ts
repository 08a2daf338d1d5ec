import type { Embedder } from '#core/llm/embed.ts';
import type { CheckSentTexts } from '#core/files/sent-texts.ts';
import type { NewId } from '#core/ids.ts';
import type { FileStore } from '#core/stores/files.ts';
import type { ResponseStore } from '#core/stores/responses.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { ModelDirectory } from '#models/model-directory.ts';
import { gatewayChat } from './chat.ts';
import type { ChatDocumentsDeps } from './chat-documents.ts';
import { gatewayCountTokens } from './count-tokens.ts';
import { gatewayEmbeddings } from './embeddings.ts';
import { createModelAliases } from './model-aliases.ts';
import { gatewayFiles } from './files.ts';
import { gatewayModels } from './models.ts';
import { gatewayResponses } from './responses.ts';

export interface GatewayDeps extends ChatDocumentsDeps {
  readonly modelDirectory: Pick<ModelDirectory, 'models' | 'resolve'>;
  /** Absent if no provider makes embeddings. */
  readonly embedder?: Embedder;
  readonly responses: Pick<ResponseStore, 'get' | 'delete'>;
  readonly files: Pick<FileStore, 'write' | 'get' | 'list' | 'delete'>;
  readonly newId: NewId;
  /** The largest file that a client may upload. */
  readonly maxFileBytes: number;
  readonly timeoutMs: number;
  /** Aliases such as `claude-*=auto` for unknown names; the first match counts. */
  readonly aliases: readonly string[];
  /** Those that apply to embeddings. */
  readonly embeddingAliases: readonly string[];
  /** `always`: clients of the gateway get an extractive fallback, too, when no model answers. */
  readonly quotes: 'always' | 'as_asked';
  /** Absent: results of tools are not scanned for secrets. */
  readonly checkSentTexts?: CheckSentTexts;
}

/** The operations behind the gateway's endpoints. */
export function gatewayOperations(deps: GatewayDeps): readonly Tool[] {
  const { modelDirectory, embedder, timeoutMs } = deps;
  const aliases = createModelAliases(deps.aliases);
  const embeddingAliases = createModelAliases(deps.embeddingAliases);
  return [
    gatewayChat({ ...deps, aliases }),
    ...(embedder
      ? [gatewayEmbeddings({ embedder, modelDirectory, aliases: embeddingAliases, timeoutMs })]
      : []),
    gatewayModels(modelDirectory, aliases),
    gatewayCountTokens({ ...deps, aliases }),
    ...gatewayResponses(deps.responses),
    ...gatewayFiles(deps),
  ];
}
