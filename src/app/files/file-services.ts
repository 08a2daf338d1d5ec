import { join } from 'node:path';
import type { LoadedConfig } from '#config/load/load.ts';
import { userFolder } from '#config/home/home.ts';
import type { Calls } from '#core/calls/calls.ts';
import type { FileIndex } from '#core/files/file-index.ts';
import type { CheckSentTexts } from '#core/files/sent-texts.ts';
import type { FileIntake } from '#core/files/file-intake.ts';
import type { Embedder } from '#core/llm/embed.ts';
import type { Store } from '#core/stores/store.ts';
import type { Clock } from '#core/time/clock.ts';
import type { ReadableWorkspace, Workspace } from '#core/workspace.ts';
import { createWorkspace } from '#files/create-workspace.ts';
import { createPageDetector } from '#files/pictures/page-detector.ts';
import { createMachineFfmpeg } from './create-machine-ffmpeg.ts';
import { createFileIntake, type FileIntakeDeps } from '#files/intake/create-file-intake.ts';
import { createFileSources } from '#files/intake/file-sources.ts';
import { createFileIndex } from '#retrieval/create-file-index.ts';
import {
  dropAmbiguousPaths,
  relativeToRoot,
  resolveInRoot,
} from '#tools/shared/attachment-paths.ts';
import { findClientRoots, ownership } from '#tools/shared/client-roots.ts';
import { createSentTextsCheck } from '#files/intake/check-sent-texts.ts';
import type { SecretsCheck } from '#files/intake/check-secrets.ts';
import { scanWorkspace } from '#files/intake/scan-workspace.ts';
import type { ModelSide } from '../manager/model-side.ts';
import { createPictureFetcher } from './fetch-media.ts';
import { createPassageEmbedder } from './create-passage-embedder.ts';
import { createReadResource } from './read-resource.ts';
import { createReadUpload, type ReadUploadDeps } from './read-upload.ts';
import { createSharedExtraction, type SharedExtraction } from './shared-extraction.ts';

/** What features need to read files. */
export interface FileServices {
  readonly workspace: Workspace;
  /** For tools that read texts and changes themselves. */
  readonly scannedWorkspace: ReadableWorkspace;
  readonly fileIntake: FileIntake;
  readonly fileIndex: FileIndex;
  /** For texts that were stored or sent before. */
  readonly checkSentTexts: CheckSentTexts;
  readonly extraction: SharedExtraction;
}

interface FileServicesDeps extends ReadUploadDeps {
  /** Read at each use, because calls need files first. */
  readonly calls: () => Pick<Calls, 'start'>;
  readonly loaded: LoadedConfig;
  readonly store: Pick<Store, 'files' | 'fileIndex'>;
  readonly clock: Clock;
  readonly withPublicHttp: ModelSide['withPublicHttp'];
  /** Absent where no provider makes embeddings. */
  readonly embedder: Embedder | undefined;
}

/** Creates the files of this machine, the extraction of documents, and the intake of both. */
export function createFileServices({
  loaded,
  store,
  clock,
  newId,
  calls,
  withPublicHttp,
  embedder,
  ...others
}: FileServicesDeps): FileServices {
  const { config, home, sources } = loaded;
  const workspace = createWorkspace({
    clock,
    get allowedDirs() {
      return config.allowedDirs;
    },
    get driveMappings() {
      return config.files.driveMappings;
    },
    privateDirs: [home.root],
    workspacesDir: home.workspaceDir,
    userFolder: userFolder(sources.env),
    environment: sources.env,
    scratchDir: join(home.cacheDir, 'git'),
  });
  const check: SecretsCheck = {
    clock,
    get secrets() {
      return config.files.secrets;
    },
  };
  const extraction = createSharedExtraction(clock);
  const intakeDeps: FileIntakeDeps = {
    workspace,
    files: store.files,
    extractor: () => extraction.extractor(),
    clock,
    newId,
    get secrets() {
      return config.files.secrets;
    },
    isPage: createPageDetector(createMachineFfmpeg(loaded, clock)),
    mediaFetcher: createPictureFetcher(withPublicHttp),
    readUpload: createReadUpload({ newId, ...others }),
    readResource: createReadResource(calls),
    folders: {
      find: findClientRoots,
      ownership,
      place: resolveInRoot,
      shorten: relativeToRoot,
      dropAmbiguous: dropAmbiguousPaths,
    },
  };
  const fileIntake = createFileIntake(intakeDeps);
  const openSources = createFileSources(intakeDeps);
  const fileIndex = createFileIndex({
    store: store.fileIndex,
    openSources,
    clock,
    embedder: createPassageEmbedder({
      name: () => config.files.embeddings,
      embedder,
      clock,
      newId,
    }),
  });
  return {
    workspace,
    fileIntake,
    fileIndex,
    checkSentTexts: createSentTextsCheck(check),
    extraction,
    scannedWorkspace: scanWorkspace(workspace, check),
  };
}
