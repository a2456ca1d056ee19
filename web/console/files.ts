// Files that the console hands to the browser to save.

/** Only in Chromium, in secure contexts. */
declare global {
  interface Window {
    showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>
  }
}

export function saveFile(blob: Blob, name: string) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/**
 * Saves the body of a response: streamed to the file if the browser can write files, else from memory once it is complete.
 * Returns false, and saves nothing, if the body does not end with `end`. Throws AbortError if no file was chosen.
 */
export async function saveBody(open: () => Promise<Response>, name: string, end: RegExp): Promise<boolean> {
  const file = await window.showSaveFilePicker?.({ suggestedName: name })
  const response = await open()
  if (!file) {
    const body = await response.blob().catch(() => null)
    if (!body || !end.test(await body.slice(-tailLength).text())) return false
    saveFile(body, name)
    return true
  }
  let tail = new Uint8Array()
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      tail = new Uint8Array([...tail, ...chunk.slice(-tailLength)].slice(-tailLength))
      controller.enqueue(chunk)
    },
  })
  // The file is replaced only when the stream is closed.
  const target = await file.createWritable()
  try {
    await response.body!.pipeThrough(watch).pipeTo(target, { preventClose: true })
  } catch {
    return false
  }
  const isWhole = end.test(new TextDecoder().decode(tail))
  await (isWhole ? target.close() : target.abort())
  return isWhole
}

const tailLength = 4_096
