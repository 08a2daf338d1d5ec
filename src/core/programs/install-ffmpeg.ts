/** How ffmpeg is installed, for errors and for `doctor`. */
export const INSTALL_FFMPEG =
  'Install ffmpeg: sudo apt-get install ffmpeg (Debian, Ubuntu), brew install ffmpeg (macOS) or winget install ffmpeg (Windows).';
