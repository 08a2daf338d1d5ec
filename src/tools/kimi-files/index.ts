import type { Tool } from '#core/tools/tool.ts';
import { kimiCaptureHeaders, type CaptureDeps } from './capture-headers.ts';
import { glmUploadFile } from './glm-upload-file.ts';
import { kimiManageFiles } from './manage-files.ts';
import { kimiMultiFileChat } from './multi-file-chat.ts';
import { kimiUploadAndExtract, type KimiFilesDeps } from './upload-and-extract.ts';

/** Creates the tools for files at Kimi and GLM. */
export function providerFileTools(deps: KimiFilesDeps & CaptureDeps): readonly Tool[] {
  return [
    glmUploadFile(deps),
    kimiCaptureHeaders(deps),
    kimiManageFiles(deps),
    kimiMultiFileChat(deps),
    kimiUploadAndExtract(deps),
  ];
}
