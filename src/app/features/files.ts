import { FILE_METHODS } from '#core/files/file-admin.ts';
import {
  readAddFile,
  readFileId,
  readFilePage,
  readFilePiece,
  readPrune,
} from '#core/files/file-admin.schema.ts';
import { fileResources } from '#tools/resources/file-resources.ts';
import { createFileAdmin } from '../admin/file-admin.ts';
import { createProviderCopies } from '../files/provider-copies.ts';
import { openOwnFile } from '../files/open-own-file.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

type FilesContext = Pick<
  FeatureContext,
  'store' | 'newId' | 'results' | 'loaded' | 'uploads' | 'modelDirectory' | 'clock'
>;

/** Stored files: as resources for their owners, and on the command line for the owner. */
export function filesFeature(context: FilesContext): Feature {
  const { store, newId, results, loaded } = context;
  const { config, home } = loaded;
  const admin = createFileAdmin({
    files: store.files,
    newId,
    get retentionDays() {
      return config.retention.filesDays;
    },
    copies: createProviderCopies(context),
    open: (path) => openOwnFile(path, home.root),
  });
  return {
    name: 'files',
    ...fileResources({ files: store.files, results }),
    adminMethods: {
      [FILE_METHODS.list]: async (params) => admin.list(readFilePage(params)),
      [FILE_METHODS.show]: async (params) => admin.show(readFileId(params)),
      [FILE_METHODS.add]: async (params) => admin.add(readAddFile(params)),
      async [FILE_METHODS.content](params) {
        const { id, offset } = readFilePiece(params);
        return admin.content(id, offset);
      },
      [FILE_METHODS.delete]: async (params) => admin.delete(readFileId(params)),
      async [FILE_METHODS.prune](params) {
        const { beforeMs, mode } = readPrune(params);
        return admin.prune(beforeMs, mode);
      },
    },
  };
}
