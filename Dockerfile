# The image of redriver: Node's current long-term line, the compiled program and its production dependencies. The process runs as a
# numeric user and writes nothing to its root filesystem.
#   docker build --build-arg VERSION=0.1.0 --build-arg REVISION=$(git rev-parse HEAD) -t redriver:0.1.0 .
#   docker build --target dev -t redriver-dev:0.1.0 .    with the emulator, and a Redis for `redriver demo`, for development only
# NODE_IMAGE and RUNTIME_IMAGE can be others, by digest or from a mirror. The runtime stage needs no shell and no npm, so a distroless Node fits too.
ARG NODE_IMAGE=docker.io/library/node:26.10.0-bookworm-slim@sha256:662933cf47f013bc8e4beb31a6116448427a82057ba7c42c97e4c5ba766504c2
ARG RUNTIME_IMAGE=${NODE_IMAGE}

# What it makes runs on every platform, so it runs on the builder's. Packages with native parts have others in their place.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /app
# Dependencies first: this layer lasts until the lock file changes.
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY dev ./dev
COPY docs/runbooks.md docs/runbooks-system.md ./docs/
COPY deploy/supply-chain/sbom.mjs ./deploy/supply-chain/
ARG REVISION=unknown
# Declarations and source maps are a third of the packages, and nothing reads them. `kubectl exec … redriver` needs a file that can be executed.
RUN REDRIVER_REVISION=${REVISION} npm run build \
 && node deploy/supply-chain/sbom.mjs > sbom.cdx.json \
 && npm prune --omit=dev \
 && find node_modules -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' \) -delete \
 && chmod 755 dist/main.js \
 && mkdir bin && ln -s /app/dist/main.js bin/redriver

FROM ${RUNTIME_IMAGE} AS dev
# A distroless base has Node there.
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/nodejs/bin
WORKDIR /app
RUN apt-get update && apt-get install -y --no-install-recommends redis-server && rm -rf /var/lib/apt/lists/*
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/docs ./docs
COPY --from=build /app/dist-dev ./dist-dev
COPY --from=build /app/bin /usr/local/bin
USER 10001:10001
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["emulator"]

# As by default, for a buildah that would go on with the platform of the first stage.
FROM --platform=$TARGETPLATFORM ${RUNTIME_IMAGE} AS runtime
ENV NODE_ENV=production
# A distroless base has Node there.
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/nodejs/bin
WORKDIR /app
# Everything belongs to root and is only readable: the process cannot change its own program. It has neither emulator nor demo.
COPY --from=build /app/package.json /app/sbom.cdx.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/docs ./docs
COPY --from=build /app/bin /usr/local/bin
# After what differs by commit: some builders do not see that an argument changed, and keep the labels of the build before.
ARG VERSION=0.0.0
ARG REVISION=unknown
ARG CREATED=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="redriver" \
      org.opencontainers.image.description="Drains the dead letter queue of a hosted HTTP message delivery service, unattended." \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.documentation="${SOURCE}/blob/${REVISION}/README.md"
# A number, because runAsNonRoot cannot judge a name; deploy/base/deployment.yaml says the same one.
USER 10001:10001
EXPOSE 9466
# Kubernetes asks /livez and /readyz itself.
HEALTHCHECK NONE
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["run"]
