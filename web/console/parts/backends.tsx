// The backends by their common names, and whether each is available.
import type { Status } from '../rows.ts'
import { Dot, Fact } from './values.tsx'

const drivers: Record<string, string> = {
  ...{ sqlite: 'SQLite', mongo: 'MongoDB', segments: 'files in the data folder', weaviate: 'Weaviate' },
  ...{ local: 'in this process', temporal: 'Temporal' },
}

export const describeDriver = (driver: string) => drivers[driver] ?? driver

/** `local:all-minilm-l6-v2` runs within Lectern. */
function describeEmbedding(model: string | null): string {
  if (model === null) return 'off: search goes by words'
  return model.startsWith('local:') ? `${model.slice('local:'.length)}, in this process` : model
}

export function Backends({ status: { drivers, model, embedding_model } }: { status: Status }) {
  return (
    <dl class="facts">
      {drivers.map(({ port, driver, available }) => (
        <Fact key={port} name={port}>
          <Dot tone={available ? 'good' : 'bad'}>
            {describeDriver(driver)}
            {available ? '' : ' does not answer'}
          </Dot>
        </Fact>
      ))}
      <Fact name="Language model">
        {model === 'extractive' ? 'none: answers quote the best sections' : model}
      </Fact>
      <Fact name="Embeddings">{describeEmbedding(embedding_model)}</Fact>
    </dl>
  )
}
